import type { Category } from './category.js';

export const camping: Category = {
  name: 'Camping',
  brands: ['Hearthmoor', 'Larch & Loop', 'Bivvy Works', 'Tarn & Pike'],
  series: ['Nomad', 'Meadow', 'Polaris', 'Heath', 'Riverbend', 'Dusk'],
  colours: ['moss green', 'sand', 'orange', 'sky blue', 'graphite'],
  closings: [
    'A stuff sack and a repair kit come with it.',
    'Spare parts can be ordered one by one.',
    'Tested for two weeks on a wet hillside before it went on sale.',
  ],
  families: [
    {
      name: 'Tents',
      tags: ['shelter', 'backpacking', 'waterproof'],
      price: [119, 649],
      kinds: [
        [
          'Two-Person Backpacking Tent',
          'A light tunnel tent for two people and their packs. One person can pitch it in four minutes, rain first and inner after.',
        ],
        [
          'Family Dome Tent',
          'A tall dome with two bedrooms and a dry porch for muddy boots. There is room for five and a game of cards.',
        ],
        [
          'One-Person Ultralight Tent',
          'A shelter of under a kilogram for long-distance walkers who count every gram. A trekking pole serves as its mast.',
        ],
      ],
      details: [
        'The flysheet withstands a column of four metres of water.',
        'Two doors mean nobody climbs over anybody at night.',
        'Coloured poles show at a glance what goes where.',
        'Mesh panels keep midges out and let condensation escape.',
      ],
    },
    {
      name: 'Sleeping bags',
      tags: ['sleep', 'down', 'warm'],
      price: [49, 399],
      kinds: [
        [
          'Three-Season Down Bag',
          'A down sleeping bag for nights just above freezing. It compresses to the size of a loaf of bread.',
        ],
        [
          'Winter Mummy Bag',
          'A close-fitting bag for snow holes and high huts at minus twenty. A collar of down seals the shoulders.',
        ],
        [
          'Summer Quilt',
          'An open quilt for warm nights, beaches and sofas. It straps to a mat when the temperature drops.',
        ],
      ],
      details: [
        'The zip runs past a stiff tape and does not catch the lining.',
        'A small inner pocket keeps a phone battery warm until morning.',
        'The foot is shaped so that toes do not press the filling flat.',
        'The filling is certified as taken from birds that were not live-plucked.',
      ],
    },
    {
      name: 'Stoves and cookware',
      tags: ['cooking', 'gas', 'lightweight'],
      price: [24, 169],
      kinds: [
        [
          'Compact Gas Stove',
          'A burner the size of a fist that boils half a litre in three minutes. It screws onto any common cartridge.',
        ],
        [
          'Wood-Burning Camp Stove',
          'A folding stove that cooks on twigs and pine cones, so there is no fuel to carry. The double wall burns off the smoke.',
        ],
        [
          'Nesting Pot Set',
          'Two pots, a pan and four cups that stack into one bundle. The handles fold and lock the lid.',
        ],
      ],
      details: [
        'It can be cleaned with sand and a leaf.',
        'It has cooked porridge on three continents.',
        'Everything fits inside a one-litre pot.',
        'It weighs less than a tin of beans.',
      ],
    },
    {
      name: 'Sleeping mats',
      tags: ['sleep', 'insulation', 'inflatable'],
      price: [19, 189],
      kinds: [
        [
          'Inflatable Sleeping Mat',
          'An air mat ten centimetres thick for people who sleep on their side. Fifteen breaths fill it.',
        ],
        [
          'Closed-Cell Foam Mat',
          'A folding foam mat that cannot puncture and weighs next to nothing. It doubles as a seat at lunch.',
        ],
        [
          'Self-Inflating Camp Bed Mat',
          'A broad mat that fills itself while you put up the tent. Joined with a second one it makes a double bed.',
        ],
      ],
      details: [
        'It insulates from frozen ground as well as from damp grass.',
        'The top is brushed, so a sleeping bag does not slide off.',
        'It rolls up around its own strap.',
        'Stones and roots below it go unnoticed.',
      ],
    },
    {
      name: 'Camp lamps',
      tags: ['light', 'rechargeable', 'night'],
      price: [15, 89],
      kinds: [
        [
          'Rechargeable Headlamp',
          'A headlamp for night hikes and finding the tent again. It throws light a hundred metres or floods a page softly.',
        ],
        [
          'Hanging Tent Lantern',
          'A warm lantern that hangs from the ridge and lights a whole table. It runs for forty hours on its low setting.',
        ],
        [
          'Solar Camp Light',
          'A flat lamp that charges on top of a rucksack by day and shines all evening. It charges a phone in a pinch.',
        ],
      ],
      details: [
        'A red mode saves night vision and leaves neighbours asleep.',
        'It survives a fall from two metres and a night in the rain.',
        'A lock stops it from switching on inside the pack.',
        'One button does everything, gloves or not.',
      ],
    },
  ],
};
