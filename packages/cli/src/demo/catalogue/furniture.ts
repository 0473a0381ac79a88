import type { Category } from './category.js';

export const furniture: Category = {
  name: 'Furniture',
  brands: ['Birch & Beam', 'Halden', 'Atelier Ost', 'Roomwright'],
  series: ['Alva', 'Plank', 'Soren', 'Bridge', 'Tilda', 'Corner'],
  colours: ['oak', 'walnut', 'white', 'black', 'light grey', 'petrol'],
  closings: [
    'Arrives flat with every tool needed; most people finish within the hour.',
    'The wood comes from forests that are replanted.',
    'Carried to the room of your choice on request.',
  ],
  families: [
    {
      name: 'Desks',
      tags: ['home office', 'work', 'study'],
      price: [129, 749],
      kinds: [
        [
          'Electric Standing Desk',
          'A desk that rises from sitting to standing height in eight seconds and remembers four positions. It carries two screens without a wobble.',
        ],
        [
          'Compact Writing Desk',
          'A narrow desk with one shallow drawer, made for bedrooms and bay windows. A laptop, a lamp and a cup fit on it.',
        ],
        [
          'Corner Workstation',
          'An L-shaped desk that makes an office of an empty corner. One wing is for the screen, the other for paper.',
        ],
      ],
      details: [
        'Cables vanish into a tray along the back edge.',
        'The top is oiled and can be sanded and oiled again.',
        'The feet level out on crooked old floors.',
        'A hook for headphones is fixed under the edge.',
      ],
    },
    {
      name: 'Office chairs',
      tags: ['home office', 'ergonomic', 'seating'],
      price: [99, 599],
      kinds: [
        [
          'Ergonomic Mesh Chair',
          'A chair for eight hours at a screen that supports the lower back and lets the shoulders breathe. Everything on it adjusts.',
        ],
        [
          'Saddle Stool',
          'A stool that opens the hips and straightens the spine of people who cannot sit still. It suits standing desks and workshops.',
        ],
        [
          'Upholstered Desk Chair',
          'A swivel chair that looks like a piece of the living room. The wool cover comes off for cleaning.',
        ],
      ],
      details: [
        'The seat slides forward for long legs.',
        'Castors roll quietly and leave no marks on wood.',
        'The tilt follows your weight without any setting.',
        'Armrests tuck under a low table.',
      ],
    },
    {
      name: 'Sofas and armchairs',
      tags: ['living room', 'seating', 'comfortable'],
      price: [249, 1899],
      kinds: [
        [
          'Three-Seat Sofa',
          'A deep sofa for afternoon naps and full-house film evenings. The cushions have a core that does not sag.',
        ],
        ['Sofa Bed', 'A sofa that turns into a real double bed with one pull. Bedding stays in the drawer below.'],
        ['Reading Armchair', 'A high-backed armchair with ears to lean against. Put it by a window and add a lamp.'],
      ],
      details: [
        'All covers come off and can be bought anew in another colour.',
        'The frame is beech, glued and screwed.',
        'Claws find no loops to pull in the dense weave.',
        'The legs screw out, so it gets round tight staircases.',
      ],
    },
    {
      name: 'Shelves and cabinets',
      tags: ['storage', 'books', 'wall'],
      price: [49, 699],
      kinds: [
        [
          'Tall Bookcase',
          'A bookcase for paperbacks and atlases, with shelves that move in small steps. It reaches just under a normal ceiling.',
        ],
        [
          'Floating Wall Shelf',
          'A thick board that seems to grow from the wall. Spices, speakers or a trailing plant look well on it.',
        ],
        ['Shoe Cabinet', 'A slim cabinet that hides fourteen pairs in a narrow hallway. The flaps open one at a time.'],
      ],
      details: [
        'A strap fixes it to the wall, so no child can pull it over.',
        'Shelves carry twenty-five kilograms each.',
        'The back panel has cut-outs for cables.',
        'Doors close softly by themselves.',
      ],
    },
    {
      name: 'Beds and mattresses',
      tags: ['bedroom', 'sleep', 'frame'],
      price: [159, 1299],
      kinds: [
        [
          'Slatted Bed Frame',
          'A low frame of solid wood with a headboard to lean on. It goes together without a single screw and does not creak.',
        ],
        [
          'Pocket Spring Mattress',
          'A mattress with a thousand springs that move one by one, so a restless partner goes unnoticed. One side is firmer than the other.',
        ],
        [
          'Loft Bed with Ladder',
          'A high bed that frees the floor below for a desk or a den. The ladder has steps rather than rungs.',
        ],
      ],
      details: [
        'There is room underneath for boxes and a robot vacuum.',
        'You may sleep on it for a hundred nights and still send it back.',
        'The slats curve slightly and give under the shoulder.',
        'The finish is water-based and has no smell.',
      ],
    },
  ],
};
