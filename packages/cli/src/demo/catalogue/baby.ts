import type { Category } from './category.js';

export const baby: Category = {
  name: 'Baby',
  brands: ['Beechling', 'Softwick', 'Little Harbour', 'Nido'],
  series: ['First', 'Lull', 'Bloom', 'Wander', 'Pip', 'Dapple'],
  colours: ['oat', 'sage', 'dusty blue', 'rose', 'grey melange'],
  closings: [
    'Free of everything that has no business near a baby.',
    'Can be handed down: the next child gets new pads at cost.',
    'Tired parents can put it together.',
  ],
  families: [
    {
      name: 'Prams and pushchairs',
      tags: ['outdoor', 'travel', 'newborn'],
      price: [149, 899],
      kinds: [
        [
          'All-Terrain Pram',
          'A pram with air tyres for woods, cobbles and snow. The carrycot lifts off with a sleeping baby in it.',
        ],
        [
          'Compact Travel Pushchair',
          'A pushchair that folds with one hand into an overhead locker. It stands by itself in the hall.',
        ],
        [
          'Jogging Stroller',
          'A three-wheeler for parents who run. The front wheel locks and the hand brake slows it downhill.',
        ],
      ],
      details: [
        'The seat faces you or the world.',
        'The hood reaches down to the bar and keeps the sun out.',
        'Suspension takes kerbs without waking anyone.',
        'A basket below holds a week of shopping.',
      ],
    },
    {
      name: 'Carriers',
      tags: ['carrying', 'newborn', 'ergonomic'],
      price: [39, 299],
      kinds: [
        [
          'Woven Baby Wrap',
          'A long cloth that ties a newborn close and leaves both hands free. A card shows three knots.',
        ],
        [
          'Soft Structured Carrier',
          'A carrier with buckles for front and back that spreads the weight to the hips. Adjusts between tall and short parents.',
        ],
        [
          'Hiking Child Carrier',
          'A frame with a seat, a roof and room for nappies, for day walks with a toddler. It stands on its own leg.',
        ],
      ],
      details: [
        'It holds legs in the spread position that midwives advise.',
        'It fits from birth until the third birthday.',
        'A hood supports a nodding head.',
        'The cloth is breathable on hot days.',
      ],
    },
    {
      name: 'Nursery furniture',
      tags: ['nursery', 'sleep', 'wood'],
      price: [79, 599],
      kinds: [
        ['Convertible Cot', 'A cot that becomes a toddler bed and then a small sofa. The base has three heights.'],
        [
          'Bedside Crib',
          'A crib that docks to the big bed, so night feeds need no getting up. One side folds down without a sound.',
        ],
        [
          'Changing Table with Drawers',
          'A changing table at a height that spares the back. The top comes off and leaves a chest of drawers.',
        ],
      ],
      details: [
        'The paint is safe to chew.',
        'Wheels lock and hide.',
        'Bars are set so that no head or foot gets stuck.',
        'The drawers cannot be pulled out onto toes.',
      ],
    },
    {
      name: 'Feeding',
      tags: ['feeding', 'bottle', 'weaning'],
      price: [7, 159],
      kinds: [
        [
          'Anti-Colic Bottle Set',
          'Four bottles with a vent that keeps air out of the milk. Teats come in three flows.',
        ],
        [
          'Quiet Breast Pump',
          'A pump that fits inside a bra and does not hum in meetings. It remembers the rhythm you like.',
        ],
        [
          'Grow-Along High Chair',
          'A wooden chair from the first spoon of mash to homework. Seat and footrest move as the child grows.',
        ],
      ],
      details: [
        'Nothing on it stains, not even carrot.',
        'There are few parts, all easy to clean.',
        'It has been through the hands of a thousand tired parents.',
        'It can be put together with one hand.',
      ],
    },
    {
      name: 'Monitors and sleep aids',
      tags: ['safety', 'sleep', 'monitor'],
      price: [19, 249],
      kinds: [
        [
          'Video Baby Monitor',
          'A monitor with a clear picture in the dark that talks straight to its own screen and to no cloud. It lets you hush from the kitchen.',
        ],
        [
          'White Noise Machine',
          'A small box that sounds like rain, a fan or a heartbeat until morning. It drowns barking dogs.',
        ],
        [
          'Sleep Trainer Clock',
          'A clock with a face that sleeps and wakes, so that toddlers know when to get up. Six is not morning.',
        ],
      ],
      details: [
        'It is small enough for the changing bag.',
        'The battery lasts a night and a day.',
        'The glow can be dimmed to nothing.',
        'Buttons lock against curious fingers.',
      ],
    },
  ],
};
