import type { Category } from './category.js';

export const fitness: Category = {
  name: 'Fitness',
  brands: ['Ironleaf', 'Asana Works', 'Plyo', 'Swimline'],
  series: ['Core', 'Balance', 'Rep', 'Flow', 'Motion', 'Base'],
  colours: ['black', 'teal', 'plum', 'grey', 'coral'],
  closings: [
    'A poster with fifteen exercises is folded into the box.',
    'Wipe clean with soap and water.',
    'Free of latex and of any smell worth mentioning.',
  ],
  families: [
    {
      name: 'Yoga and pilates',
      tags: ['yoga', 'stretching', 'mat'],
      price: [15, 119],
      kinds: [
        [
          'Natural Rubber Yoga Mat',
          'A mat that grips wet hands in the hottest class. Lines on it show where feet belong.',
        ],
        [
          'Cork Yoga Block Pair',
          'Two heavy cork blocks that bring the floor closer. Their edges are rounded for resting on.',
        ],
        [
          'Pilates Reformer Band Set',
          'A board, two loops and springs of cord for pilates at home. It slides under the bed afterwards.',
        ],
      ],
      details: [
        'It lies flat at once and does not curl.',
        'Five millimetres cushion knees without making you wobble.',
        'A strap carries it over the shoulder.',
        'The material is tapped or peeled and grows back.',
      ],
    },
    {
      name: 'Weights',
      tags: ['strength', 'home gym', 'iron'],
      price: [19, 399],
      kinds: [
        [
          'Adjustable Dumbbell Pair',
          'Two dumbbells that go from two to twenty-four kilograms at the turn of a dial. They replace a whole rack.',
        ],
        [
          'Cast Kettlebell',
          'One piece of iron for swings, squats and presses. The handle is smooth enough for long sets and rough enough for chalk.',
        ],
        [
          'Olympic Barbell Set',
          'A bar and seventy kilograms of plates for a serious corner of the garage. Sleeves turn on needle bearings.',
        ],
      ],
      details: [
        'Rubber feet are kind to floors and neighbours.',
        'Each piece is weighed and is within one per cent.',
        'Flat sides stop it from rolling away.',
        'The finish does not chip when irons meet.',
      ],
    },
    {
      name: 'Bands and ropes',
      tags: ['resistance', 'cardio', 'portable'],
      price: [9, 59],
      kinds: [
        [
          'Resistance Band Set',
          'Five bands from gentle to fierce, for warming up, rehabilitation and pull-ups. They weigh nothing in a suitcase.',
        ],
        [
          'Speed Skipping Rope',
          'A thin steel rope that whistles round for double jumps. Its length is set in seconds.',
        ],
        ['Suspension Trainer', 'Two straps that turn a door or a branch into a gym. Your own weight does the rest.'],
      ],
      details: [
        'Colours tell the strength.',
        'Handles are foam and stay dry.',
        'A door anchor that leaves no marks is included.',
        'It has been pulled ten thousand times without tearing.',
      ],
    },
    {
      name: 'Recovery',
      tags: ['massage', 'muscle', 'rest'],
      price: [12, 199],
      kinds: [
        [
          'Ribbed Foam Roller',
          'A firm roller that finds sore spots in calves and back. Three zones press like thumb, palm and finger.',
        ],
        [
          'Percussion Massage Gun',
          'A quiet hammer for tight muscles after runs and long drives. Four heads reach different places.',
        ],
        [
          'Hot and Cold Pack',
          'A gel pack for the freezer or the microwave that bends around knees and necks. A soft cover spares the skin.',
        ],
      ],
      details: [
        'Ten minutes before bed loosen a whole day.',
        'It bears a hundred and fifty kilograms.',
        'Physiotherapists use the same one.',
        'It fits into hand luggage.',
      ],
    },
    {
      name: 'Swimming',
      tags: ['swimming', 'pool', 'open water'],
      price: [12, 249],
      kinds: [
        [
          'Anti-Fog Swim Goggles',
          'Goggles that seal without pressing and stay clear for a hundred lengths. The nose bridge clicks to size.',
        ],
        [
          'Open-Water Wetsuit',
          'A wetsuit for swimming lakes and the sea from April to October. Thin shoulders let the arms turn freely.',
        ],
        [
          'Swim Buoy Dry Bag',
          'A bright float that makes swimmers visible to boats and keeps a phone dry inside. It drags less than you think.',
        ],
      ],
      details: [
        'Chlorine does not eat it.',
        'It can be put on and off without help.',
        'Lenses keep out glare from low sun.',
        'It dries within the hour on a rail.',
      ],
    },
  ],
};
