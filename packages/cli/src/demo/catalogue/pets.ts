import type { Category } from './category.js';

export const pets: Category = {
  name: 'Pets',
  brands: ['Wag & Whisker', 'Hearthmoor', 'Mossfoot', 'Finley'],
  series: ['Buddy', 'Ramble', 'Nest', 'Scout', 'Muddle', 'Paws'],
  colours: ['brown check', 'grey', 'red', 'forest green', 'cream'],
  closings: [
    'Chewed within a month? We replace it once, no questions.',
    'Vets helped to design it.',
    'Fur brushes off it easily.',
  ],
  families: [
    {
      name: 'Beds and blankets',
      tags: ['dog', 'cat', 'sleep'],
      price: [19, 189],
      kinds: [
        ['Orthopaedic Dog Bed', 'A thick foam bed for old dogs with stiff hips. The low front lets them step in.'],
        ['Donut Cat Bed', 'A round, deep-pile bed that cats sink into and guard. The rim is a pillow.'],
        [
          'Waterproof Car Blanket',
          'A quilted cover that saves the back seat from mud, sand and wet dog. Slits let the belts through.',
        ],
      ],
      details: [
        'The cover zips off and is washable at sixty degrees.',
        'The base does not slide on tiles.',
        'It comes in four sizes, from terrier to wolfhound.',
        'It keeps the draught of the floor away.',
      ],
    },
    {
      name: 'Leads and harnesses',
      tags: ['dog', 'walking', 'training'],
      price: [12, 79],
      kinds: [
        [
          'No-Pull Dog Harness',
          'A harness that turns a pulling dog round instead of choking it. It goes on over the head in one move.',
        ],
        [
          'Hands-Free Running Lead',
          'A lead that clips around the waist for jogging with a dog. A spring takes up the jerks.',
        ],
        [
          'Long Training Line',
          'Ten metres of light webbing for teaching a puppy to come back. It floats and does not soak.',
        ],
      ],
      details: [
        'Stitching glows in headlights.',
        'Padding keeps fur from rubbing off.',
        'The clip will not open by itself.',
        'A ring holds a tag and a roll of bags.',
      ],
    },
    {
      name: 'Feeding',
      tags: ['dog', 'cat', 'food'],
      price: [9, 149],
      kinds: [
        [
          'Automatic Cat Feeder',
          'A feeder that serves six small meals a day while you are out. A battery takes over in a power cut.',
        ],
        [
          'Ceramic Water Fountain',
          'A fountain that keeps water moving and cool, so that fussy cats drink more. A filter catches hair.',
        ],
        [
          'Slow Feeder Bowl',
          'A bowl with a maze in it for dogs that swallow before they taste. Dinner takes ten minutes.',
        ],
      ],
      details: [
        'All parts go in the dishwasher.',
        'It stays put while it is being licked.',
        'Ants and paws cannot tip it over.',
        'It holds enough for a long day at work.',
      ],
    },
    {
      name: 'Toys and scratching',
      tags: ['play', 'cat', 'dog'],
      price: [5, 199],
      kinds: [
        [
          'Sisal Cat Tree',
          'A tree with three perches, a cave and a trunk to scratch, so that the sofa may live. It reaches up to the window.',
        ],
        [
          'Rubber Chew Ball',
          'A ball of natural rubber that bounces like mad and hides a treat. It has outlived many a retriever.',
        ],
        ['Feather Wand', 'A bendy wand with feathers that make the laziest cat leap. The feathers can be replaced.'],
      ],
      details: [
        'Nothing on it can be swallowed.',
        'It keeps clever animals busy.',
        'It stands firm under eight kilograms of landing cat.',
        'The rope can be renewed.',
      ],
    },
    {
      name: 'Travel and care',
      tags: ['grooming', 'travel', 'hygiene'],
      price: [8, 129],
      kinds: [
        [
          'Airline Pet Carrier',
          'A soft carrier that fits under the seat and calms its passenger with a view on three sides. It opens from the top.',
        ],
        [
          'De-Shedding Brush',
          'A brush that brings out the loose undercoat before it lands on the carpet. A button drops the fur in the bin.',
        ],
        [
          'Self-Cleaning Litter Box',
          'A litter box that rakes itself and seals what it finds. It waits until the cat has gone.',
        ],
      ],
      details: [
        'It is quiet enough for shy animals.',
        'It folds away to the thickness of a book.',
        'Handles are made for long walks to the gate.',
        'It takes off smells, not only dirt.',
      ],
    },
  ],
};
