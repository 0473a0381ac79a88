import type { Category } from './category.js';

export const computing: Category = {
  name: 'Computing',
  brands: ['Keyforge', 'Pixel Harbor', 'Norden Labs', 'Brightside'],
  series: ['Vector', 'Glide', 'Mono', 'Axis', 'Slate', 'Relay'],
  colours: ['space grey', 'white', 'black', 'navy', 'cream'],
  closings: [
    'Works with Windows, macOS and Linux without a driver.',
    'Three years of warranty, sent both ways at our cost.',
    'Shipped in a box that serves for returning an old device to be recycled.',
  ],
  families: [
    {
      name: 'Keyboards',
      tags: ['typing', 'mechanical', 'office'],
      price: [39, 229],
      kinds: [
        [
          'Mechanical Keyboard',
          'A keyboard with crisp switches for people who write all day. Keys can be swapped without soldering.',
        ],
        [
          'Split Ergonomic Keyboard',
          'A keyboard in two halves that lets wrists and shoulders rest. Tilt each half as your arms want it.',
        ],
        [
          'Slim Travel Keyboard',
          'A thin keyboard that folds over a tablet and weighs as little as a notebook. It switches between three devices.',
        ],
      ],
      details: [
        'The letters are moulded through and cannot wear off.',
        'It is quiet enough for a shared office.',
        'One charge lasts for months with the lights off.',
        'Every key can be given another meaning.',
      ],
    },
    {
      name: 'Mice and trackballs',
      tags: ['pointing device', 'wireless', 'office'],
      price: [19, 139],
      kinds: [
        [
          'Vertical Mouse',
          'A mouse held like a handshake, which takes the twist out of the forearm. Sore wrists notice within a week.',
        ],
        [
          'Wireless Gaming Mouse',
          'A light mouse with a fast sensor for games that are won in milliseconds. The cable is only for charging.',
        ],
        [
          'Thumb Trackball',
          'A trackball for cramped desks and tired shoulders: only the thumb moves. The ball pops out for cleaning.',
        ],
      ],
      details: [
        'It glides on glass, wood and trouser legs.',
        'The wheel spins freely through long documents.',
        'Clicks are almost silent.',
        'Left-handed and right-handed forms are both sold.',
      ],
    },
    {
      name: 'Monitors',
      tags: ['screen', 'display', 'home office'],
      price: [129, 899],
      kinds: [
        [
          '27-Inch 4K Monitor',
          'A sharp screen for text, photographs and film. One USB-C cable brings picture, power and peripherals.',
        ],
        [
          'Ultrawide Curved Monitor',
          'A screen as wide as two, without the bar in the middle. Timelines and spreadsheets finally fit.',
        ],
        [
          'Portable Second Screen',
          'A thin screen that slides into a laptop sleeve and doubles your desk in a train or hotel. It leans on its own cover.',
        ],
      ],
      details: [
        'It turns upright for code and long pages.',
        'Each panel is measured and comes with its colour report.',
        'A matt surface keeps windows from shining in it.',
        'The stand clears room for a keyboard underneath.',
      ],
    },
    {
      name: 'Laptop bags and stands',
      tags: ['laptop', 'travel', 'accessory'],
      price: [19, 149],
      kinds: [
        [
          'Laptop Backpack',
          'A slim rucksack with a padded sleeve for a laptop and room for lunch. It stands up by itself.',
        ],
        [
          'Aluminium Laptop Stand',
          'A stand that lifts the screen to eye level and spares the neck. Air reaches the fans from below.',
        ],
        [
          'Felt Laptop Sleeve',
          'A wool felt sleeve that keeps scratches off between meetings. A flap takes the charger.',
        ],
      ],
      details: [
        'A sixteen-inch machine fits with its case on.',
        'The zip faces your back, where no thief reaches it.',
        'It folds flat in a second.',
        'Rubber pads grip without leaving marks.',
      ],
    },
    {
      name: 'Storage drives',
      tags: ['backup', 'usb', 'data'],
      price: [15, 399],
      kinds: [
        [
          'Portable SSD 1 TB',
          'A drive as small as a matchbox that moves a thousand photographs in a few seconds. It has no moving part to break.',
        ],
        [
          'Desktop Backup Drive 8 TB',
          'A big, quiet disk that backs up the whole household by itself at night. Old versions stay for a year.',
        ],
        [
          'USB Stick with Keypad',
          'A memory stick that opens only to the right digits typed on it. After ten wrong tries it wipes itself.',
        ],
      ],
      details: [
        'Files are encrypted in hardware at no loss of speed.',
        'It has survived three metres onto concrete.',
        'Both plugs, old and new, are on one short cable.',
        'A light shows when it is safe to pull it out.',
      ],
    },
  ],
};
