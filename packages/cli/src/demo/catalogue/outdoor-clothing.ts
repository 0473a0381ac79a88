import type { Category } from './category.js';

export const outdoorClothing: Category = {
  name: 'Outdoor clothing',
  brands: ['Northfell', 'Tarn & Pike', 'Skarvan', 'Hollow Ridge'],
  series: ['Kestrel', 'Fjord', 'Cairn', 'Boreal', 'Drift', 'Saddleback'],
  colours: ['forest green', 'slate', 'rust', 'midnight blue', 'ochre', 'black'],
  closings: [
    'Wash at 30 degrees and dry flat; the finish can be renewed with any spray proofer.',
    'Cut with room for layers, in sizes XS to XXL.',
    'Repairs are free for the first five years.',
  ],
  families: [
    {
      name: 'Winter jackets',
      tags: ['winter', 'insulated', 'hiking'],
      price: [139, 349],
      kinds: [
        [
          'Down Hiking Jacket',
          'A warm down jacket for winter hiking and long stops on cold summits. It packs into its own pocket and weighs less than a water bottle.',
        ],
        [
          'Insulated Parka',
          'A thigh-length parka for freezing commutes and snowy dog walks. The synthetic filling stays warm even when it is wet through.',
        ],
        [
          'Softshell Ski Jacket',
          'A stretchy, fleece-backed jacket for ski touring and brisk days in the snow. It blocks the wind and lets heat out on the climb.',
        ],
      ],
      details: [
        'The hood fits over a helmet and tightens with one hand.',
        'Two chest pockets lie above the hip belt of a rucksack.',
        'A storm flap behind the main zip keeps draughts out at minus fifteen.',
        'Elastic cuffs seal neatly under gloves.',
      ],
    },
    {
      name: 'Rain jackets',
      tags: ['waterproof', 'rain', 'breathable'],
      price: [69, 229],
      kinds: [
        [
          'Waterproof Shell',
          'A three-layer shell for days when it never stops raining. Every seam is taped and the fabric breathes on steep climbs.',
        ],
        [
          'Packable Rain Jacket',
          'A featherlight rain jacket that lives at the bottom of a bag until the sky turns. It folds to the size of an apple.',
        ],
        [
          'Cycling Rain Cape',
          'A roomy cape that covers rider, handlebar and knees in a downpour. Thumb loops hold it in place at speed.',
        ],
      ],
      details: [
        'Water beads and rolls off without soaking in, even after a season of use.',
        'Zips under the arms open wide when the sun comes back.',
        'The peak of the hood keeps drops off glasses.',
        'Reflective piping shows up in headlights from two hundred metres.',
      ],
    },
    {
      name: 'Fleeces and jumpers',
      tags: ['layering', 'warm', 'casual'],
      price: [45, 139],
      kinds: [
        [
          'Grid Fleece',
          'A thin grid fleece to wear under a shell when you are moving fast. It dries on the body within minutes.',
        ],
        [
          'Boiled Wool Jumper',
          'A dense wool jumper that shrugs off drizzle and campfire sparks. It looks as right in a pub as on a ridge.',
        ],
        [
          'High-Pile Fleece',
          'A thick, furry fleece for cold cabins and slow mornings. The collar stands up to the ears.',
        ],
      ],
      details: [
        'Flat seams leave no marks under shoulder straps.',
        'The yarn is spun from recycled bottles and offcuts.',
        'Elbows are doubled where jumpers wear through first.',
        'A zipped chest pocket holds a phone and a map.',
      ],
    },
    {
      name: 'Hiking trousers',
      tags: ['hiking', 'stretch', 'trousers'],
      price: [59, 169],
      kinds: [
        [
          'Stretch Trekking Trousers',
          'Trousers for long treks over rough ground, with stretch at the knee and seat. They dry while you walk.',
        ],
        [
          'Zip-Off Trousers',
          'Travel trousers that become shorts at noon and trousers again when the mosquitoes arrive. The legs come off over boots.',
        ],
        [
          'Lined Winter Trousers',
          'Brushed-lined trousers for snowshoe days and frosty mornings. Gaiter hooks keep snow out of boots.',
        ],
      ],
      details: [
        'The waist adjusts from inside, so no belt bunches under a pack.',
        'Thigh pockets close with zips that run upwards and lose nothing.',
        'Dirt brushes off the tightly woven cloth once it is dry.',
        'Patches at the ankle resist crampons and brambles.',
      ],
    },
    {
      name: 'Base layers',
      tags: ['merino', 'next to skin', 'winter'],
      price: [35, 99],
      kinds: [
        [
          'Merino Long-Sleeve Top',
          'A soft merino top to wear next to the skin from autumn to spring. It can go a week without smelling.',
        ],
        [
          'Thermal Leggings',
          'Close-fitting leggings that add warmth under trousers without bulk. They suit skiing, running and draughty houses.',
        ],
        [
          'Summer Running Tee',
          'A mesh-backed tee that carries sweat away on hot runs. It feels dry again before the kettle boils.',
        ],
      ],
      details: [
        'There are no labels to scratch and no seams on the shoulder.',
        'The long back stays tucked in when you bend.',
        'Fibres of 18 micron are too fine to itch.',
        'Sleeves end in a loop for the thumb.',
      ],
    },
  ],
};
