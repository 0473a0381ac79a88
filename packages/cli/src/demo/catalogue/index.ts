import { audio } from './audio.js';
import { baby } from './baby.js';
import { camping } from './camping.js';
import type { Category } from './category.js';
import { computing } from './computing.js';
import { cycling } from './cycling.js';
import { fitness } from './fitness.js';
import { footwear } from './footwear.js';
import { furniture } from './furniture.js';
import { garden } from './garden.js';
import { homeTextiles } from './home-textiles.js';
import { kitchen } from './kitchen.js';
import { lighting } from './lighting.js';
import { outdoorClothing } from './outdoor-clothing.js';
import { pantry } from './pantry.js';
import { personalCare } from './personal-care.js';
import { pets } from './pets.js';
import { photography } from './photography.js';
import { stationery } from './stationery.js';
import { tools } from './tools.js';
import { toysAndGames } from './toys-and-games.js';

/** Every shelf of the sample shop. */
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
