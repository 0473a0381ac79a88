import audio from './catalogue/audio.json' with { type: 'json' };
import baby from './catalogue/baby.json' with { type: 'json' };
import camping from './catalogue/camping.json' with { type: 'json' };
import computing from './catalogue/computing.json' with { type: 'json' };
import cycling from './catalogue/cycling.json' with { type: 'json' };
import fitness from './catalogue/fitness.json' with { type: 'json' };
import footwear from './catalogue/footwear.json' with { type: 'json' };
import furniture from './catalogue/furniture.json' with { type: 'json' };
import garden from './catalogue/garden.json' with { type: 'json' };
import homeTextiles from './catalogue/home-textiles.json' with { type: 'json' };
import kitchen from './catalogue/kitchen.json' with { type: 'json' };
import lighting from './catalogue/lighting.json' with { type: 'json' };
import outdoorClothing from './catalogue/outdoor-clothing.json' with { type: 'json' };
import pantry from './catalogue/pantry.json' with { type: 'json' };
import personalCare from './catalogue/personal-care.json' with { type: 'json' };
import pets from './catalogue/pets.json' with { type: 'json' };
import photography from './catalogue/photography.json' with { type: 'json' };
import stationery from './catalogue/stationery.json' with { type: 'json' };
import tools from './catalogue/tools.json' with { type: 'json' };
import toysAndGames from './catalogue/toys-and-games.json' with { type: 'json' };
import type { Category } from './category.js';

/** Every shelf of the sample shop, in the order of its products. The compiler checks each file's shape. */
export const categories: readonly Category[] = [
  outdoorClothing,
  footwear,
  camping,
  kitchen,
  homeTextiles,
  furniture,
  lighting,
  audio,
  computing,
  photography,
  cycling,
  fitness,
  garden,
  tools,
  toysAndGames,
  baby,
  personalCare,
  pets,
  pantry,
  stationery,
];
