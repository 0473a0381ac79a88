import type { Category } from './category.js';

export const lighting: Category = {
  name: 'Lighting',
  brands: ['Lumen Yard', 'Halden', 'Glow & Co', 'Filament North'],
  series: ['Arc', 'Moth', 'Pebble', 'Aurora', 'Mast', 'Pane'],
  colours: ['brass', 'white', 'black', 'terracotta', 'smoked glass', 'mint'],
  closings: [
    'Bulb included, and it can be changed.',
    'Works with ordinary wall dimmers.',
    'Every part that wears can be ordered for ten years.',
  ],
  families: [
    {
      name: 'Desk lamps',
      tags: ['work', 'reading', 'adjustable'],
      price: [25, 189],
      kinds: [
        [
          'Swing-Arm Desk Lamp',
          'A balanced lamp that stays wherever you push it. It lights the page and keeps glare out of your eyes.',
        ],
        [
          'Clip-On Reading Light',
          'A small lamp with a soft clamp for headboards, shelves and music stands. It does not wake the person beside you.',
        ],
        [
          'Wireless Charging Lamp',
          'A desk lamp whose foot charges a phone while you work. The light shifts from cool at noon to warm at night.',
        ],
      ],
      details: [
        'Colours look true enough for painting and sewing.',
        'Touch the head to dim it in small steps.',
        'It draws seven watts at full brightness.',
        'The cable leaves at the back and lies flat.',
      ],
    },
    {
      name: 'Ceiling and pendant lamps',
      tags: ['dining room', 'ceiling', 'design'],
      price: [39, 349],
      kinds: [
        [
          'Glass Globe Pendant',
          'A mouth-blown globe that hangs over a table like a small moon. No two are quite alike.',
        ],
        [
          'Paper Lantern Shade',
          'A big paper shade that fills a room with even, gentle light. It ships folded into an envelope.',
        ],
        [
          'Kitchen Spotlight Bar',
          'Four spots on one bar for worktops, sinks and dark corners. Each head turns on its own.',
        ],
      ],
      details: [
        'The textile cable shortens without cutting.',
        'Wiring needs one screwdriver and five minutes.',
        'It shines downwards and a little up, so the ceiling is not a black hole.',
        'Steam and frying fat wipe off.',
      ],
    },
    {
      name: 'Floor lamps',
      tags: ['living room', 'standing', 'ambient'],
      price: [49, 399],
      kinds: [
        [
          'Tripod Floor Lamp',
          'Three wooden legs and a linen shade make a calm corner of any room. It stands firm among running children.',
        ],
        [
          'Arched Floor Lamp',
          'A wide arc that brings light over the sofa without a hole in the ceiling. A heavy stone foot holds it.',
        ],
        [
          'Uplighter with Reading Arm',
          'One lamp for two jobs: a bright wash on the ceiling and a small beam for the book. Each has its own switch.',
        ],
      ],
      details: [
        'The foot switch is easy to find in the dark.',
        'The height changes by forty centimetres.',
        'The shade turns to hide the bulb from where you sit.',
        'It comes apart into three pieces for moving house.',
      ],
    },
    {
      name: 'Bulbs and strips',
      tags: ['smart home', 'led', 'energy saving'],
      price: [6, 89],
      kinds: [
        [
          'Smart Colour Bulb',
          'A bulb in sixteen million colours that obeys an app, a voice or a plain switch. It can wake you with a slow sunrise.',
        ],
        [
          'Warm Filament Bulb',
          'An LED that glows like the bulbs of a hundred years ago on a tenth of the power. Meant to be seen, not hidden.',
        ],
        [
          'Adhesive Light Strip',
          'A bendable strip for shelves, mirrors and the undersides of cupboards. Cut it wherever the scissors are printed.',
        ],
      ],
      details: [
        'It lives for fifteen thousand hours.',
        'It comes on at once and does not flicker in films.',
        'Cold garages and hot lampshades do it no harm.',
        'The box is cardboard throughout.',
      ],
    },
    {
      name: 'Night and garden lights',
      tags: ['outdoor', 'motion sensor', 'night'],
      price: [9, 119],
      kinds: [
        [
          'Motion-Sensor Night Light',
          'A soft amber light that comes on when bare feet pass and goes out again. It shows the way to the bathroom without waking anyone.',
        ],
        [
          'Solar Path Light Set',
          'Six lights on stakes that drink sun all day and mark the path all evening. There is no cable to dig in.',
        ],
        [
          'Festoon Light Chain',
          'Twenty bulbs on ten metres of cable for terraces, weddings and long summer nights. Rain may fall on it.',
        ],
      ],
      details: [
        'A sensor turns it off in daylight.',
        'Further sets plug into the end.',
        'The battery can be replaced in a minute.',
        'Its light is warm and does not draw moths.',
      ],
    },
  ],
};
