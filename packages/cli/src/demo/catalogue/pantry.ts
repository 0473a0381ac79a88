import type { Category } from './category.js';

export const pantry: Category = {
  name: 'Pantry',
  brands: ['Harbour Roast', 'Olivar Alto', 'Cacao & Crumb', 'Meadow Larder'],
  series: ['Estate', 'Old Town', 'Sunday', 'Reserve', 'Village', 'Harvest'],
  colours: ['tin', 'kraft paper', 'glass jar', 'linen bag'],
  closings: [
    'Keep it cool, dark and dry.',
    'Bought directly from the people who grow it.',
    'Best within a year, though it seldom lasts that long.',
  ],
  families: [
    {
      name: 'Coffee',
      tags: ['coffee', 'fair trade', 'breakfast'],
      price: [7, 39],
      kinds: [
        [
          'Espresso Beans',
          'Dark beans with notes of cocoa and hazelnut for espresso and milk drinks. The crema stands.',
        ],
        [
          'Filter Coffee, Light Roast',
          'A bright coffee that tastes of apricot and black tea. Made for pour-over and patient mornings.',
        ],
        ['Decaf Ground Coffee', 'Coffee for the evening, decaffeinated with water alone. Nobody guesses.'],
      ],
      details: [
        'It is roasted on Mondays and posted on Tuesdays.',
        'The farm lies at nineteen hundred metres.',
        'A valve lets the bag breathe.',
        'It is ground for filter or left whole.',
      ],
    },
    {
      name: 'Tea and infusions',
      tags: ['tea', 'organic', 'loose leaf'],
      price: [5, 35],
      kinds: [
        [
          'First Flush Darjeeling',
          'Loose black tea from the first spring picking, light and flowery. It wants no milk.',
        ],
        ['Japanese Sencha', 'Green tea with the scent of mown grass and the sea. Brew it at seventy degrees.'],
        ['Mountain Herb Infusion', 'Thyme, mint and lemon balm for sore throats and late nights. It has no caffeine.'],
      ],
      details: [
        'Leaves are whole and give three pots.',
        'A spoon that measures one cup lies in the tin.',
        'Bags are cotton and rot away.',
        'It is grown without sprays.',
      ],
    },
    {
      name: 'Oils and vinegars',
      tags: ['cooking', 'mediterranean', 'salad'],
      price: [6, 49],
      kinds: [
        [
          'Extra Virgin Olive Oil',
          'Green, peppery oil pressed on the day of the harvest. Good bread asks for nothing else.',
        ],
        [
          'Aged Balsamic Vinegar',
          'A sweet, dark vinegar that has slept in cherry casks for twelve years. Drops are enough, on strawberries too.',
        ],
        [
          'Toasted Sesame Oil',
          'A nutty oil for noodles and stir-fries, added at the end. A teaspoon scents the whole pan.',
        ],
      ],
      details: [
        'The bottle is dark to keep light out.',
        'The year is on the label.',
        'It has won prizes that we will not list.',
        'The spout does not drip.',
      ],
    },
    {
      name: 'Chocolate and sweets',
      tags: ['chocolate', 'gift', 'vegan'],
      price: [4, 45],
      kinds: [
        [
          'Dark Chocolate 72 %',
          'A bar with three ingredients and the taste of cherries. One square after dinner, or all of them.',
        ],
        ['Salted Caramel Box', 'Sixteen soft caramels with flakes of sea salt. They do not stick to teeth.'],
        [
          'Candied Orange Peel',
          'Strips of orange simmered for three days and half dipped in chocolate. Grandmothers approve.',
        ],
      ],
      details: [
        'No palm oil went into it.',
        'It is wrapped by hand.',
        'It melts slowly and clearly.',
        'The box is pretty enough to give as it is.',
      ],
    },
    {
      name: 'Spices and condiments',
      tags: ['spice', 'cooking', 'hot'],
      price: [4, 39],
      kinds: [
        ['Smoked Paprika', 'Sweet paprika dried over oak for a fortnight. It makes potatoes taste of holidays.'],
        [
          'Garam Masala Blend',
          'Eleven spices roasted and ground in small lots for curries, lentils and pumpkin. Add it last.',
        ],
        [
          'Fermented Chilli Sauce',
          'A hot sauce with depth rather than only pain. Two years in the barrel took the edge off.',
        ],
      ],
      details: [
        'It is fresh from this year’s crop.',
        'A recipe is printed inside the label.',
        'The jar has a lid that both pours and sprinkles.',
        'It is free of fillers, salt and sugar.',
      ],
    },
  ],
};
