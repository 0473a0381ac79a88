import type { Category } from './category.js';

export const personalCare: Category = {
  name: 'Personal care',
  brands: ['Fern & Salt', 'Apothek 9', 'Barely', 'Tallow Lane'],
  series: ['Pure', 'Calm', 'Morning', 'Coast', 'Classic', 'Sensitive'],
  colours: ['amber glass', 'white', 'sea green', 'sand', 'charcoal'],
  closings: [
    'Never tried on animals.',
    'The refill costs a third less and saves the bottle.',
    'Dermatologists found it kind to touchy skin.',
  ],
  families: [
    {
      name: 'Face care',
      tags: ['skin', 'moisturising', 'daily'],
      price: [9, 69],
      kinds: [
        [
          'Day Cream SPF 30',
          'A light cream that feeds the skin and keeps the sun off it. It sinks in before you have brushed your teeth.',
        ],
        ['Gentle Cleansing Gel', 'A gel that takes off make-up and the day without tightness. Eyes do not sting.'],
        ['Overnight Repair Serum', 'A few drops before bed for dry, tired skin. Mornings look rested.'],
      ],
      details: [
        'It has no perfume.',
        'It suits dry and mixed skin.',
        'A pump gives the right amount.',
        'Oat and squalane calm redness.',
      ],
    },
    {
      name: 'Hair care',
      tags: ['hair', 'shampoo', 'vegan'],
      price: [6, 49],
      kinds: [
        [
          'Solid Shampoo Bar',
          'A bar that washes hair as well as two bottles do, and flies in hand luggage. It lathers in hard water.',
        ],
        [
          'Curl Defining Cream',
          'A cream that gathers curls and lets them spring without crunch. Rain is no longer an enemy.',
        ],
        ['Scalp Care Shampoo', 'A mild shampoo for itchy, flaky heads. It may be used every day.'],
      ],
      details: [
        'Coloured hair keeps its colour.',
        'It rinses out without a trace.',
        'It smells faintly of rosemary.',
        'Silicones are left out.',
      ],
    },
    {
      name: 'Shaving',
      tags: ['shaving', 'beard', 'grooming'],
      price: [12, 199],
      kinds: [
        [
          'Safety Razor',
          'A weighty brass razor that shaves closer than five plastic blades. Blades cost a few pence each.',
        ],
        [
          'Wet and Dry Electric Shaver',
          'A shaver that follows the jaw, under the shower or over the basin. It cleans itself in its stand.',
        ],
        ['Beard Trimmer', 'A trimmer with twenty lengths, from stubble to sailor. The cord is only for charging.'],
      ],
      details: [
        'It is easy on the neck.',
        'A leather case is good for travelling.',
        'It comes apart for rinsing.',
        'It looks well on the edge of a basin.',
      ],
    },
    {
      name: 'Sun and body',
      tags: ['sun protection', 'body', 'summer'],
      price: [6, 39],
      kinds: [
        [
          'Mineral Sunscreen SPF 50',
          'A sunscreen without chemical filters that protects children and coral alike. It leaves no white film.',
        ],
        ['Shea Body Butter', 'A rich butter for elbows, heels and winter hands. A little goes a long way.'],
        [
          'Cooling After-Sun Gel',
          'A gel with aloe that takes the fire out of a long day at the beach. Keep it in the fridge.',
        ],
      ],
      details: [
        'It stays on in the water.',
        'The tube is made of sugar cane.',
        'It does not stain towels.',
        'It comes in a size for the plane.',
      ],
    },
    {
      name: 'Bath and oral care',
      tags: ['bathroom', 'soap', 'teeth'],
      price: [4, 129],
      kinds: [
        [
          'Sonic Toothbrush',
          'A toothbrush that hums teeth clean and tells you when you press too hard. One charge lasts three weeks.',
        ],
        [
          'Olive Oil Soap Trio',
          'Three blocks of old-fashioned soap, cured for six months. They last until the ends are translucent.',
        ],
        [
          'Bath Salts with Lavender',
          'Coarse salt and real lavender for a hot bath after a cold day. Light a candle and lock the door.',
        ],
      ],
      details: [
        'It makes a good small present.',
        'All of its packing is paper.',
        'It leaves nothing in the water that harms a river.',
        'Dentists, nurses and sailors swear by it.',
      ],
    },
  ],
};
