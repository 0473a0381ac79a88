import type { Category } from './category.js';

export const homeTextiles: Category = {
  name: 'Home textiles',
  brands: ['Loom House', 'Softwick', 'Calico & Reed', 'Nordby'],
  series: ['Haven', 'Linnet', 'Tide', 'Orchard', 'Sundial', 'Hush'],
  colours: ['natural white', 'dusty pink', 'sage', 'indigo', 'mustard', 'stone'],
  closings: [
    'Machine washable at 40 degrees.',
    'Woven in a family mill that has run since 1911.',
    'Certified free of harmful dyes and finishes.',
  ],
  families: [
    {
      name: 'Duvets and pillows',
      tags: ['bedroom', 'sleep', 'soft'],
      price: [29, 249],
      kinds: [
        [
          'All-Season Duvet',
          'Two duvets that button together: a light one for summer, a medium one for spring and both for winter. Nobody kicks off the covers.',
        ],
        [
          'Memory Foam Pillow',
          'A shaped pillow that holds the neck level for people who wake up stiff. The foam gives way slowly and never goes lumpy.',
        ],
        [
          'Weighted Blanket',
          'A blanket of seven kilograms that calms restless sleepers like a long hug. Glass beads lie still in small pockets.',
        ],
      ],
      details: [
        'The cover is cotton, woven tightly enough to need no lining against dust mites.',
        'It breathes, so you do not wake up hot.',
        'Corner loops keep it in place inside a cover.',
        'It springs back after an hour in the dryer.',
      ],
    },
    {
      name: 'Bed linen',
      tags: ['bedroom', 'cotton', 'linen'],
      price: [35, 199],
      kinds: [
        [
          'Washed Linen Bedding Set',
          'A duvet cover and two pillowcases of crumpled linen that never need an iron. It is cool in July and warm in January.',
        ],
        [
          'Percale Fitted Sheet',
          'A crisp cotton sheet with the feel of a good hotel. Deep corners hold on to a thick mattress.',
        ],
        ['Flannel Bedding Set', 'Brushed cotton bedding for cold bedrooms. Getting in no longer takes courage.'],
      ],
      details: [
        'It becomes softer with each wash.',
        'Coconut buttons close the open end.',
        'The dye is fixed before weaving and does not fade in sunlight.',
        'A label marks the long side, so the bed is made in one go.',
      ],
    },
    {
      name: 'Towels',
      tags: ['bathroom', 'cotton', 'absorbent'],
      price: [9, 69],
      kinds: [
        [
          'Waffle Bath Towel',
          'A flat waffle towel that dries you quickly and itself even faster. Ideal for small bathrooms and gym bags.',
        ],
        [
          'Thick Terry Towel Set',
          'Six heavy towels of long-fibre cotton, two of each size. They feel like the ones from a spa.',
        ],
        [
          'Hooded Kids Towel',
          'A poncho of terry with a bear-eared hood for small swimmers. It wraps a wet child from head to knee.',
        ],
      ],
      details: [
        'A loop at both ends means it always finds its hook.',
        'The hem is stitched twice and does not curl.',
        'It soaks up four times its weight in water.',
        'No lint comes off, even the first time.',
      ],
    },
    {
      name: 'Curtains and blinds',
      tags: ['window', 'blackout', 'living room'],
      price: [25, 179],
      kinds: [
        [
          'Blackout Curtain Pair',
          'Heavy curtains that turn noon into midnight for shift workers and babies. They muffle the street as well.',
        ],
        [
          'Sheer Linen Curtain',
          'A gauzy curtain that softens the light and hides the neighbours. It moves in the slightest breeze.',
        ],
        [
          'Honeycomb Blind',
          'A pleated blind whose air cells keep heat in during winter and out in summer. It stays where you let go of it.',
        ],
      ],
      details: [
        'It hangs from a rod, rings or hooks; all three headings are sewn in.',
        'The length can be altered with iron-on tape from the package.',
        'There is no cord for a child or a cat to get tangled in.',
        'The back is white, so the house looks tidy from outside.',
      ],
    },
    {
      name: 'Rugs and throws',
      tags: ['living room', 'wool', 'cosy'],
      price: [29, 399],
      kinds: [
        [
          'Flat-Weave Wool Rug',
          'A hard-wearing wool rug with a pattern drawn from old fishing nets. Both sides can lie on top.',
        ],
        [
          'Chunky Knit Throw',
          'A throw of thick, loose stitches for reading corners and film nights. It takes two people to fold it.',
        ],
        [
          'Washable Hallway Runner',
          'A long runner for wet boots and muddy paws. It comes up clean from an ordinary washing machine.',
        ],
      ],
      details: [
        'Underfloor heating passes through it.',
        'The edges are bound by hand and lie flat from the first day.',
        'The wool repels spills for the minute it takes to fetch a cloth.',
        'A non-slip underlay cut to size is included.',
      ],
    },
  ],
};
