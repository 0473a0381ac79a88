import type { Category } from './category.js';

export const audio: Category = {
  name: 'Audio',
  brands: ['Resona', 'Quietwave', 'Tonehaus', 'Vela Sound'],
  series: ['One', 'Echo Bay', 'Studio', 'Nocturne', 'Pulse', 'Aria'],
  colours: ['black', 'silver', 'sand', 'deep blue', 'burgundy', 'white'],
  closings: [
    'A cable and a travel case are in the box.',
    'Batteries and pads can be replaced at home.',
    'Updates come over the air for at least five years.',
  ],
  families: [
    {
      name: 'Headphones',
      tags: ['music', 'wireless', 'over ear'],
      price: [49, 399],
      kinds: [
        [
          'Noise-Cancelling Headphones',
          'Wireless headphones that hush engines, offices and chatter on long flights. Forty hours pass between charges.',
        ],
        [
          'Open-Back Studio Headphones',
          'Open headphones with a wide, honest sound for mixing and quiet listening rooms. They disappear on the head.',
        ],
        [
          'Kids Headphones',
          'Sturdy headphones for children, limited to a level that is safe for young ears. Two can share one tablet.',
        ],
      ],
      details: [
        'They connect to a laptop and a phone at once.',
        'The pads are memory foam under soft, washable cloth.',
        'Voices on calls come through clearly in the wind.',
        'They fold flat into a jacket pocket.',
      ],
    },
    {
      name: 'Earbuds',
      tags: ['music', 'wireless', 'sport'],
      price: [25, 249],
      kinds: [
        ['Sport Earbuds', 'Earbuds with a hook that stays put through sprints, burpees and rain. Sweat cannot get in.'],
        [
          'Noise-Cancelling Earbuds',
          'Tiny earbuds that take the rumble out of trains. A squeeze lets the outside world back in for announcements.',
        ],
        [
          'Wired In-Ear Monitors',
          'Earphones on a braided cable for musicians and for people who never want to charge anything. Three sizes of tips seal out the stage.',
        ],
      ],
      details: [
        'The case holds three more charges and fits a coin pocket.',
        'Ten minutes on the plug buy two hours of music.',
        'Bass is firm without drowning the singer.',
        'If one gets lost, the app shows where it was last heard.',
      ],
    },
    {
      name: 'Speakers',
      tags: ['music', 'bluetooth', 'home'],
      price: [29, 599],
      kinds: [
        [
          'Portable Bluetooth Speaker',
          'A speaker the size of a can that fills a beach picnic with sound. It floats and shakes off sand.',
        ],
        [
          'Bookshelf Speaker Pair',
          'Two speakers with amplifiers built in for records, television and everything else. They sound far bigger than they look.',
        ],
        ['Kitchen Radio Speaker', 'A digital radio with a big knob, a timer and a rich voice. Wet hands may use it.'],
      ],
      details: [
        'Two of them pair up for real stereo.',
        'It plays for sixteen hours away from a socket.',
        'The front is wool cloth, which lets treble through.',
        'Old players join in by cable.',
      ],
    },
    {
      name: 'Turntables',
      tags: ['vinyl', 'records', 'hi-fi'],
      price: [119, 699],
      kinds: [
        [
          'Belt-Drive Turntable',
          'A record player for people who want to sit down and hear a whole album. Put it on a shelf, plug it in, lower the needle.',
        ],
        [
          'Suitcase Record Player',
          'A record player with its own speakers in a case that closes. It goes to picnics, bedrooms and grandparents.',
        ],
        [
          'Direct-Drive DJ Deck',
          'A heavy deck that starts in a blink and takes any amount of back-cueing. The pitch slider is as long as a hand.',
        ],
      ],
      details: [
        'The cartridge is fitted and aligned already.',
        'A preamp is built in and can be switched off.',
        'Thick rubber feet keep footsteps out of the groove.',
        'A cable turns your records into files.',
      ],
    },
    {
      name: 'Microphones',
      tags: ['recording', 'podcast', 'usb'],
      price: [35, 299],
      kinds: [
        ['USB Podcast Microphone', 'A desk microphone that makes a bedroom sound like a studio. Plug it in and speak.'],
        [
          'Clip-On Wireless Microphone Set',
          'Two tiny microphones for interviews, teaching and filming outdoors. A furry cap tames the wind.',
        ],
        [
          'Vocal Stage Microphone',
          'A tough singing microphone that ignores the drums behind it. It has been dropped more often than we can count.',
        ],
      ],
      details: [
        'A ring shows at a glance whether you are muted.',
        'It listens in front and is deaf to the keyboard behind.',
        'A socket lets you hear yourself without delay.',
        'A swivel mount and a foam hood come along.',
      ],
    },
  ],
};
