import type { Category } from './category.js';

export const kitchen: Category = {
  name: 'Kitchen',
  brands: ['Ember & Oak', 'Castellan', 'Plain Kitchen', 'Marlowe Forge'],
  series: ['Atelier', 'Hearth', 'Basil', 'Quarter', 'Copperline', 'Daily'],
  colours: ['stainless steel', 'matt black', 'cream', 'sage', 'copper', 'cherry red'],
  closings: [
    'Guaranteed for ten years against faults in making.',
    'A booklet with twelve recipes lies in the box.',
    'Goes in the dishwasher, though it lasts longer washed by hand.',
  ],
  families: [
    {
      name: 'Knives',
      tags: ['cooking', 'sharp', 'steel'],
      price: [25, 189],
      kinds: [
        [
          "Chef's Knife 20 cm",
          'A forged knife for nearly everything on the board, from onions to a whole squash. It arrives sharp enough to slice a ripe tomato by its own weight.',
        ],
        [
          'Serrated Bread Knife',
          'A long knife that goes through a crust without crushing the crumb. It is as good on cakes and melons.',
        ],
        [
          'Paring Knife Trio',
          'Three small knives for peeling, coring and trimming. Each handle has a shape of its own, so you reach for the right one without looking.',
        ],
      ],
      details: [
        'The blade is ground from one piece of high-carbon steel.',
        'A full tang balances the weight at the finger.',
        'The edge comes back with ten strokes on a fine stone.',
        'The bolster is rounded, so long chopping raises no blister.',
      ],
    },
    {
      name: 'Pots and pans',
      tags: ['cooking', 'induction', 'oven safe'],
      price: [29, 259],
      kinds: [
        [
          'Cast Iron Skillet',
          'A heavy skillet for searing steak, baking cornbread and frying eggs that slide. It is seasoned and ready to use.',
        ],
        [
          'Enamelled Casserole',
          'A wide pot for stews that murmur in the oven all afternoon. The heavy lid lets no steam escape.',
        ],
        [
          'Non-Stick Saute Pan',
          'A deep pan for quick weekday dinners, with a coating that lets go of anything. The spout pours sauce without drips.',
        ],
      ],
      details: [
        'It works on induction, gas and glass hobs alike.',
        'The base stays flat however hot it gets.',
        'The handle is riveted and long enough for two hands.',
        'Heat spreads evenly right up the sides.',
      ],
    },
    {
      name: 'Coffee makers',
      tags: ['coffee', 'espresso', 'breakfast'],
      price: [25, 549],
      kinds: [
        [
          'Pump Espresso Machine',
          'A compact machine that pulls a proper espresso and steams milk for a flat white. It is hot within forty seconds.',
        ],
        [
          'Glass Pour-Over Dripper',
          'A glass cone and carafe for a clear, slow cup of filter coffee. A collar of wood keeps fingers from the heat.',
        ],
        [
          'Stovetop Moka Pot',
          'The little pot that gurgles strong coffee on any stove. Three parts, no electronics, nothing to go wrong.',
        ],
      ],
      details: [
        'Every part that touches coffee comes apart for rinsing.',
        'It takes up less of the worktop than a dinner plate.',
        'A measuring spoon and a brush hang on it.',
        'It makes enough for one sleepy person or four guests.',
      ],
    },
    {
      name: 'Kettles and toasters',
      tags: ['breakfast', 'electric', 'tea'],
      price: [29, 149],
      kinds: [
        [
          'Gooseneck Electric Kettle',
          'A kettle with a thin spout that pours exactly where you aim. Set it to eighty degrees for green tea or to the boil for black.',
        ],
        ['Quiet Cordless Kettle', 'A kettle that boils without waking the house. A window shows cups, not litres.'],
        ['Two-Slot Toaster', 'A toaster wide enough for sourdough and bagels. It remembers how brown you like it.'],
      ],
      details: [
        'It switches off by itself, with a soft click.',
        'The cable winds up under the base.',
        'The outer wall stays cool to the touch.',
        'Crumbs and scale come out without tools.',
      ],
    },
    {
      name: 'Food storage',
      tags: ['storage', 'glass', 'leftovers'],
      price: [12, 79],
      kinds: [
        [
          'Glass Container Set',
          'Five glass boxes with lids that click shut, for leftovers and packed lunches. They go from freezer to oven.',
        ],
        [
          'Airtight Pantry Jars',
          'Tall jars that keep flour, rice and pasta dry and free of moths. They stand square and waste no shelf.',
        ],
        [
          'Insulated Lunch Flask',
          'A wide-mouthed flask that keeps soup hot until lunch and salad cool until evening. It fits a school bag.',
        ],
      ],
      details: [
        'The seal is one loop of silicone that pulls out for cleaning.',
        'A strip on the side takes pencil and wipes off again.',
        'Nothing in it stains or takes on the smell of curry.',
        'Empty boxes stack inside each other.',
      ],
    },
  ],
};
