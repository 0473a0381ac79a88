import type { Category } from './category.js';

export const stationery: Category = {
  name: 'Stationery',
  brands: ['Quill & Page', 'Papierhaus', 'Inkwell Lane', 'Brightside'],
  series: ['Scholar', 'Atlas', 'Margin', 'Folio', 'Meridian', 'Plain'],
  colours: ['navy', 'burgundy', 'forest green', 'ivory', 'black', 'sunflower'],
  closings: [
    'Paper from mills that run on water power.',
    'Gift-wrapped on request, with a card in your own words.',
    'Made to be used up, not to be kept for best.',
  ],
  families: [
    {
      name: 'Notebooks',
      tags: ['writing', 'paper', 'journal'],
      price: [6, 39],
      kinds: [
        [
          'Dotted Hardcover Notebook',
          'A notebook with faint dots for lists, sketches and plans. Pages are numbered and there is an index to fill in.',
        ],
        [
          'Waterproof Field Notebook',
          'A notebook that takes pencil in pouring rain, for birdwatchers and building sites. It fits a back pocket.',
        ],
        ['Spiral Sketchbook', 'Heavy paper for charcoal, ink and a little watercolour. It opens right round.'],
      ],
      details: [
        'It lies flat at every page.',
        'Pencil rubs out without a trace.',
        'A pocket at the back holds tickets.',
        'Two ribbons keep two places.',
      ],
    },
    {
      name: 'Pens and pencils',
      tags: ['writing', 'ink', 'drawing'],
      price: [3, 149],
      kinds: [
        [
          'Piston Fountain Pen',
          'A fountain pen that drinks straight from the bottle and writes at the first touch. The nib is gold-plated steel.',
        ],
        [
          'Gel Pen Set',
          'Ten gel pens with a fine line that dries before the hand reaches it. Left-handed writers rejoice.',
        ],
        [
          'Graphite Pencil Tin',
          'Twelve pencils from hard to very soft, for plans and portraits. The tin has a slot for the sharpener.',
        ],
      ],
      details: [
        'It is light enough for a long exam.',
        'The clip is sprung and holds on thick cloth.',
        'Refills are a common size.',
        'The grip has no seam.',
      ],
    },
    {
      name: 'Planners and calendars',
      tags: ['planning', 'organised', 'calendar'],
      price: [9, 49],
      kinds: [
        [
          'Undated Weekly Planner',
          'A planner that begins whenever you do, with a week to a spread. Missed weeks waste no paper.',
        ],
        [
          'Wall Family Calendar',
          'A calendar with six columns, so that everybody’s dentist, football and bin day stand side by side.',
        ],
        [
          'Desk Pad with To-Do List',
          'Sixty big sheets that lie under the keyboard and take notes, numbers and coffee rings. Tear one off every Monday.',
        ],
      ],
      details: [
        'Public holidays of twelve countries are in the back.',
        'It hangs from one nail.',
        'There is room for what you are glad about.',
        'Stickers come along.',
      ],
    },
    {
      name: 'Art supplies',
      tags: ['painting', 'colour', 'creative'],
      price: [8, 129],
      kinds: [
        [
          'Watercolour Travel Set',
          'Eighteen pans of strong colour in a box the size of a phone. The brush carries its own water.',
        ],
        [
          'Acrylic Paint Set',
          'Twenty-four tubes that cover canvas, wood and stone in one coat. They mix without going muddy.',
        ],
        [
          'Calligraphy Starter Kit',
          'Holder, five nibs, ink and a book of alphabets for handsome envelopes. An evening is enough to begin.',
        ],
      ],
      details: [
        'Colours are rated for a hundred years of daylight.',
        'Single ones can be replaced.',
        'They wash out of clothes while wet.',
        'The lid is a palette.',
      ],
    },
    {
      name: 'School bags and cases',
      tags: ['school', 'bag', 'children'],
      price: [9, 139],
      kinds: [
        [
          'School Backpack',
          'A light satchel with a stiff back that carries books close to the spine. It grows with the child through primary school.',
        ],
        [
          'Roll-Up Pencil Case',
          'A canvas roll with slots for thirty pencils, a ruler and a rubber. It ties with a leather lace.',
        ],
        [
          'Document Expanding File',
          'A concertina of thirteen pockets for bills, school letters and warranties. A strap keeps it shut.',
        ],
      ],
      details: [
        'Reflective strips face four ways.',
        'The bottom is wipeable and stands in puddles.',
        'A name can be ironed inside.',
        'The buckles work with mittens on.',
      ],
    },
  ],
};
