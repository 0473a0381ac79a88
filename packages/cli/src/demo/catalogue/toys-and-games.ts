import type { Category } from './category.js';

export const toysAndGames: Category = {
  name: 'Toys and games',
  brands: ['Tinker Fox', 'Puddle & Moon', 'Rook & Rhyme', 'Beechling'],
  series: ['Wonder', 'Little', 'Grand', 'Curio', 'Pocket', 'Jolly'],
  colours: ['multicoloured', 'natural wood', 'pastel', 'primary red', 'sea blue'],
  closings: [
    'Tested for safety well beyond what the law asks.',
    'Missing pieces are replaced free of charge.',
    'The box is sturdy enough to be a castle afterwards.',
  ],
  families: [
    {
      name: 'Building sets',
      tags: ['building', 'creative', 'children'],
      price: [15, 149],
      kinds: [
        [
          'Wooden Building Blocks',
          'A hundred beech blocks cut so exactly that towers reach the ceiling. For builders from eighteen months to ninety years.',
        ],
        [
          'Magnetic Tile Set',
          'See-through tiles that snap into castles, rockets and lamps. Sun through a window paints the floor.',
        ],
        [
          'Marble Run Kit',
          'Tracks, funnels and loops for marbles that race down the stairs. Every run can be built another way.',
        ],
      ],
      details: [
        'Corners are rounded for small hands.',
        'Sets of different sizes fit together.',
        'A bag with a drawstring clears the floor in one go.',
        'It keeps a rainy afternoon short.',
      ],
    },
    {
      name: 'Board games',
      tags: ['family', 'game night', 'strategy'],
      price: [15, 79],
      kinds: [
        [
          'Harbour Trading Board Game',
          'A game of ships, prices and broken promises for three to five. It lasts an hour and is never decided before the end.',
        ],
        [
          'Cooperative Forest Game',
          'A game in which all win or all lose, bringing animals home before the fog. Even four-year-olds have a say.',
        ],
        ['Party Word Game', 'A noisy game of hints and guesses for up to twelve. The rules take one minute.'],
      ],
      details: [
        'The rules fit on two pages and come with a video.',
        'Wooden pieces feel good in the hand.',
        'Two decks change the game for the second season.',
        'It plays well with two.',
      ],
    },
    {
      name: 'Puzzles',
      tags: ['puzzle', 'quiet', 'relaxing'],
      price: [9, 59],
      kinds: [
        [
          'Thousand-Piece Jigsaw',
          'A jigsaw of a night market, painted for it, with a story in each corner. Pieces lock and can be lifted as one.',
        ],
        [
          'Wooden Animal Puzzle',
          'A chunky puzzle of nine animals that also stand up and play. The first puzzle for the first birthday.',
        ],
        [
          'Brain Teaser Cube Set',
          'Six burrs and cubes from easy to maddening. They lie on the table until nobody can leave them alone.',
        ],
      ],
      details: [
        'No dust comes out of the box.',
        'Linen-pressed card does not shine under a lamp.',
        'Solutions are in a sealed envelope.',
        'It is made in the next town but one.',
      ],
    },
    {
      name: 'Soft toys and dolls',
      tags: ['cuddly', 'bedtime', 'children'],
      price: [12, 69],
      kinds: [
        [
          'Plush Brown Bear',
          'A bear with long arms for carrying, dragging and falling asleep on. It survives the washing machine again and again.',
        ],
        [
          'Rag Doll with Clothes',
          'A cloth doll with a coat, boots and a bag of her own. Buttons and laces teach small fingers.',
        ],
        [
          'Hand Puppet Theatre Set',
          'Six puppets and a folding stage for plays behind the sofa. A fox, a king and a policeman are among them.',
        ],
      ],
      details: [
        'Eyes are embroidered, so nothing can come off.',
        'The filling is wool and holds its shape.',
        'It smells of nothing at all.',
        'A label has room for a name.',
      ],
    },
    {
      name: 'Science and craft kits',
      tags: ['learning', 'craft', 'experiments'],
      price: [12, 99],
      kinds: [
        [
          'Beginner Microscope Kit',
          'A real microscope with slides, tweezers and brine shrimp eggs. Pond water turns into a zoo.',
        ],
        [
          'Solar Robot Kit',
          'A kit of gears and one small panel that makes fourteen walking, rolling and swimming robots. No batteries, ever.',
        ],
        [
          'Candle Making Set',
          'Wax, wicks, moulds and scents for eight candles. A good present for an aunt, made by a nephew.',
        ],
      ],
      details: [
        'A book with fifty experiments explains what happens and why.',
        'An adult is needed only for the scissors.',
        'All refills can be bought.',
        'It is meant for ages eight and up.',
      ],
    },
  ],
};
