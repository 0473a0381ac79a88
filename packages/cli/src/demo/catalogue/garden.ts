import type { Category } from './category.js';

export const garden: Category = {
  name: 'Garden',
  brands: ['Root & Bloom', 'Hedgerow', 'Clayhouse', 'Marlowe Forge'],
  series: ['Allotment', 'Wren', 'Thistle', 'Orchard', 'Kew', 'Furrow'],
  colours: ['terracotta', 'leaf green', 'zinc', 'slate', 'ash wood'],
  closings: [
    'May stay outdoors all year.',
    'A leaflet on sowing and pruning by month is enclosed.',
    'Ten years of guarantee against rust and rot.',
  ],
  families: [
    {
      name: 'Hand tools',
      tags: ['pruning', 'digging', 'steel'],
      price: [12, 119],
      kinds: [
        [
          'Bypass Secateurs',
          'Pruning shears for roses and fruit trees that cut cleanly and do not crush the stem. They close with a thumb.',
        ],
        [
          'Border Spade',
          'A narrow spade for planting between things that already grow. The treads are broad enough for shoes.',
        ],
        [
          'Weeding Knife',
          'A small hooked blade for dandelions and the cracks between paving stones. It gets the whole root.',
        ],
      ],
      details: [
        'The handle is ash, shaped for wet hands.',
        'The blade is forged, and any file sharpens it.',
        'It hangs from a leather loop.',
        'Left hands can use it just as well.',
      ],
    },
    {
      name: 'Pots and planters',
      tags: ['plants', 'balcony', 'frost proof'],
      price: [9, 189],
      kinds: [
        [
          'Self-Watering Planter',
          'A box with a hidden tank that keeps tomatoes alive through a week of holiday. A float tells when to refill.',
        ],
        [
          'Hand-Thrown Clay Pot',
          'A thick pot that breathes and keeps roots cool. It grows more handsome as it weathers.',
        ],
        [
          'Raised Bed Kit',
          'Boards and corner posts for a vegetable bed at hip height. It goes up without tools in half an hour.',
        ],
      ],
      details: [
        'Winter rain drains out through the base.',
        'Frost does not split it.',
        'Herbs, tomatoes and tulips have all done well in it.',
        'It looks old and settled after one winter.',
      ],
    },
    {
      name: 'Watering',
      tags: ['irrigation', 'hose', 'summer'],
      price: [9, 149],
      kinds: [
        [
          'Expanding Garden Hose',
          'A hose that grows to thirty metres under pressure and crawls back into a bucket. It does not kink.',
        ],
        [
          'Drip Irrigation Kit',
          'Pipes and drippers that water forty plants at the root while you sleep. A timer at the tap opens and shuts it.',
        ],
        [
          'Long-Spout Watering Can',
          'A can with a fine rose for seedlings and a spout that reaches the back of the shelf. It balances when full.',
        ],
      ],
      details: [
        'Fittings click onto any common tap.',
        'It uses half the water of a sprinkler.',
        'Brass inside the couplings lasts longer than plastic.',
        'Sunlight does not make it brittle.',
      ],
    },
    {
      name: 'Seeds and soil',
      tags: ['sowing', 'vegetables', 'organic'],
      price: [4, 49],
      kinds: [
        [
          'Wildflower Seed Mix',
          'Thirty native flowers that feed bees and butterflies from April to October. Scatter, tread in and wait.',
        ],
        [
          'Windowsill Herb Kit',
          'Basil, chives, coriander and parsley with pots and soil for a kitchen window. First leaves show after a week.',
        ],
        [
          'Peat-Free Potting Compost',
          'A dark, crumbly compost of bark and leaf for pots and seed trays. Not one bog was drained for it.',
        ],
      ],
      details: [
        'It keeps for two years in a dry shed.',
        'Nothing in it was sprayed.',
        'The bag can go on the compost heap itself.',
        'A card tells what to do in which month.',
      ],
    },
    {
      name: 'Wildlife and decoration',
      tags: ['birds', 'wildlife', 'outdoor'],
      price: [9, 139],
      kinds: [
        [
          'Squirrel-Proof Bird Feeder',
          'A feeder that closes its ports under anything heavier than a blackbird. Tits and finches find it within a day.',
        ],
        [
          'Wooden Nest Box',
          'A box of rough larch with a hole the right size for tits. One side opens for cleaning in autumn.',
        ],
        [
          'Cast Iron Fire Bowl',
          'A bowl for logs on long evenings, with a grid for sausages. It rusts to a warm brown and no further.',
        ],
      ],
      details: [
        'It hangs from a branch or stands on a pole.',
        'Rain runs off and out.',
        'No glue or varnish was used.',
        'It comes apart without tools for a scrub.',
      ],
    },
  ],
};
