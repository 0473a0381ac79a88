import type { Category } from './category.js';

export const cycling: Category = {
  name: 'Cycling',
  brands: ['Pedalworks', 'Cobble & Climb', 'Vento', 'Rouleur North'],
  series: ['Tourer', 'Sprint', 'Pave', 'Commute', 'Col', 'Gravel'],
  colours: ['matt black', 'signal yellow', 'white', 'racing green', 'red', 'blue'],
  closings: [
    'Fits in minutes with the hex key that comes with it.',
    'Spare parts are listed in the manual by number.',
    'Crash replacement at half price within two years.',
  ],
  families: [
    {
      name: 'Helmets',
      tags: ['safety', 'commuting', 'protection'],
      price: [35, 219],
      kinds: [
        [
          'Commuter Helmet with Light',
          'A city helmet with a rear light built in and a visor against low sun. A magnet closes the buckle with one hand.',
        ],
        ['Road Racing Helmet', 'A fast, airy helmet for long climbs on hot days. Sunglasses park in its vents.'],
        [
          'Kids Bike Helmet',
          'A helmet that grows with the child from the first balance bike to the school run. The strap cannot pinch a chin.',
        ],
      ],
      details: [
        'An inner layer lets the shell turn on impact and spares the brain.',
        'The dial at the back tightens it evenly.',
        'Pads come out for washing.',
        'A ponytail fits through under the dial.',
      ],
    },
    {
      name: 'Bike lights',
      tags: ['safety', 'night', 'rechargeable'],
      price: [15, 129],
      kinds: [
        [
          'Front and Rear Light Set',
          'Two lights that let you see and be seen on the way home in winter. They snap on without tools.',
        ],
        [
          'High-Power Trail Light',
          'A beam for riding forests at night at daylight speed. A remote on the bar changes the level.',
        ],
        [
          'Dynamo Headlight',
          'A headlight that runs off the wheel and never needs charging. It shines on at traffic lights.',
        ],
      ],
      details: [
        'The cut-off does not dazzle people who come towards you.',
        'Rain and spray from the road stay out.',
        'It shows a third of an hour before it goes flat.',
        'The strap fits round bars and oval posts.',
      ],
    },
    {
      name: 'Bags and panniers',
      tags: ['touring', 'waterproof', 'luggage'],
      price: [25, 199],
      kinds: [
        [
          'Waterproof Pannier Pair',
          'Two roll-top bags for tours through a week of rain. They lift off the rack by the handle.',
        ],
        [
          'Handlebar Bag',
          'A bag for camera, map and snacks within reach while riding. The strap makes it a shoulder bag.',
        ],
        [
          'Bikepacking Saddle Bag',
          'A long bag under the saddle for rough tracks where racks rattle loose. It does not sway.',
        ],
      ],
      details: [
        'Seams are welded, not sewn.',
        'Reflective patches face all sides.',
        'A pocket inside keeps keys from the bottom.',
        'Heels clear it even with big feet.',
      ],
    },
    {
      name: 'Locks',
      tags: ['security', 'anti-theft', 'steel'],
      price: [19, 149],
      kinds: [
        [
          'Hardened U-Lock',
          'A steel shackle that stands up to long bolt cutters. It locks frame and wheel to a lamp post.',
        ],
        ['Folding Lock', 'Six flat bars that fold to the size of a glasses case. It rides on the bottle screws.'],
        [
          'Chain Lock',
          'A heavy chain in a cloth sleeve for leaving a bike overnight. It reaches round awkward things.',
        ],
      ],
      details: [
        'Three keys come with it, one of them with a light.',
        'The keyhole has a cover against rain and grit.',
        'An independent lab gave it the second highest grade.',
        'A soft coat keeps paint from scratches.',
      ],
    },
    {
      name: 'Pumps and tools',
      tags: ['repair', 'maintenance', 'portable'],
      price: [12, 99],
      kinds: [
        [
          'Floor Pump with Gauge',
          'A tall pump that puts a road tyre at seven bar in thirty strokes. The head takes every valve.',
        ],
        [
          'Multi-Tool with Chain Breaker',
          'Nineteen tools in the palm of a hand, enough to ride home from anything short of a broken frame.',
        ],
        [
          'Tubeless Repair Kit',
          'Plugs, a reamer and a little glue that stop a leak without taking the tyre off. It hides in the bar end.',
        ],
      ],
      details: [
        'The parts are steel where others use tin.',
        'A clip holds it beside the bottle.',
        'It can be taken apart and greased.',
        'Numbers are etched, so they stay readable.',
      ],
    },
  ],
};
