import type { Category } from './category.js';

export const photography: Category = {
  name: 'Photography',
  brands: ['Ikarion', 'Silverhalide', 'Obscura Bay', 'Fieldlens'],
  series: ['Vista', 'Iris', 'Shutterfield', 'Prime', 'Contour', 'Nadir'],
  colours: ['black', 'graphite', 'olive', 'silver', 'tobacco'],
  closings: [
    'Checked by hand before it is packed.',
    'Fits all common mounts by an adapter that is sold apart.',
    'A grey card and a cleaning cloth are enclosed.',
  ],
  families: [
    {
      name: 'Cameras',
      tags: ['camera', 'photo', 'video'],
      price: [79, 1899],
      kinds: [
        [
          'Mirrorless Camera',
          'A small camera with a large sensor for travel, portraits and evenings without flash. It finds an eye and keeps it sharp.',
        ],
        [
          'Instant Print Camera',
          'A camera that hands out a picture in a minute. Parties, guest books and fridges have been waiting for it.',
        ],
        [
          'Waterproof Action Camera',
          'A tough little camera for helmets, surfboards and handlebars. Footage stays steady on the roughest descent.',
        ],
      ],
      details: [
        'It starts up faster than a smile fades.',
        'A beginner gets good pictures out of it on the first day.',
        'Buttons can be told apart by touch with gloves on.',
        'The battery lasts a long day of sightseeing.',
      ],
    },
    {
      name: 'Lenses',
      tags: ['lens', 'portrait', 'glass'],
      price: [99, 1499],
      kinds: [
        [
          '50 mm Portrait Lens',
          'A bright lens that melts backgrounds and flatters faces. It is the one to learn on and the one to keep.',
        ],
        [
          'Wide-Angle Lens',
          'A wide lens for mountains, cathedrals and small kitchens. Lines at the edge stay straight.',
        ],
        ['Macro Lens', 'A lens that fills the frame with a bee or a snowflake. It doubles as a short telephoto.'],
      ],
      details: [
        'The aperture ring clicks softly and can be made silent for video.',
        'Seals at the mount keep dust and drizzle out.',
        'Nine blades draw round points of light.',
        'The hood reverses for the journey.',
      ],
    },
    {
      name: 'Tripods',
      tags: ['stability', 'travel', 'night sky'],
      price: [29, 449],
      kinds: [
        [
          'Carbon Travel Tripod',
          'A tripod that folds to the length of a forearm and carries a full camera. Long exposures of stars come out sharp.',
        ],
        [
          'Flexible Mini Tripod',
          'Bendy legs that wrap around branches, railings and bedposts. It holds a phone or a small camera.',
        ],
        [
          'Video Monopod with Feet',
          'A single leg with three little feet for weddings and touchlines. It moves as fast as you do.',
        ],
      ],
      details: [
        'Legs lock with half a turn and shed sand.',
        'The head pans smoothly and stays level.',
        'One leg unscrews to become a walking stick.',
        'A hook under the column takes a bag of stones.',
      ],
    },
    {
      name: 'Camera bags',
      tags: ['bag', 'padded', 'travel'],
      price: [29, 289],
      kinds: [
        [
          'Camera Backpack',
          'A rucksack that opens at the back, so the camera stays clean when the bag lies in mud. A jacket and lunch go on top.',
        ],
        ['Canvas Shoulder Bag', 'A waxed bag that does not look like a camera bag. One hand opens it without a sound.'],
        ['Padded Insert', 'A soft box that turns any rucksack into a camera bag. Walls move with hook and loop.'],
      ],
      details: [
        'A rain cover hides in the base.',
        'It passes as hand luggage on every airline we asked.',
        'A sleeve at the side carries a tripod.',
        'Yellow lining shows black lens caps at once.',
      ],
    },
    {
      name: 'Film and darkroom',
      tags: ['analogue', 'film', 'darkroom'],
      price: [9, 159],
      kinds: [
        [
          'Black-and-White Film Five-Pack',
          'Film with fine grain and deep blacks for grey days and bright faces. Any lab and any kitchen can develop it.',
        ],
        [
          'Home Developing Kit',
          'Tank, reels, thermometer and powders for the first twenty rolls. The booklet assumes you know nothing.',
        ],
        [
          'Film Scanner',
          'A scanner that turns boxes of negatives and slides into files, a strip at a time. Dust is found and removed.',
        ],
      ],
      details: [
        'Instructions are drawn rather than written.',
        'It forgives beginners a great deal.',
        'Schools and clubs get it at half price.',
        'The pictures keep for a lifetime in an album.',
      ],
    },
  ],
};
