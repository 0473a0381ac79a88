import type { Category } from './category.js';

export const tools: Category = {
  name: 'Tools',
  brands: ['Anvil & Co', 'Hartmann Werk', 'Truebit', 'Marlowe Forge'],
  series: ['Pro', 'Bench', 'Joiner', 'Site', 'Mate', 'Forge'],
  colours: ['blue', 'orange', 'black', 'grey', 'yellow'],
  closings: [
    'Lives in a stackable case with a place for every part.',
    'Serviced in our own workshop within a week.',
    'Meets the standard for professional use on site.',
  ],
  families: [
    {
      name: 'Drills and drivers',
      tags: ['cordless', 'diy', 'drilling'],
      price: [39, 329],
      kinds: [
        [
          'Cordless Drill Driver 18 V',
          'A drill for shelves, decks and flat-pack furniture, with two batteries so that one is always full. A lamp lights the hole.',
        ],
        [
          'Rotary Hammer Drill',
          'A hammer drill that goes through concrete as if it were cheese. It chisels tiles off as well.',
        ],
        [
          'Pocket Screwdriver',
          'A finger-sized electric screwdriver for hinges, toys and electronics. It stops before it strips the thread.',
        ],
      ],
      details: [
        'The chuck grips bits without a key.',
        'It fits between studs and into corners.',
        'Twenty bits lie in the lid.',
        'The motor has no brushes to wear out.',
      ],
    },
    {
      name: 'Hand tools',
      tags: ['workshop', 'steel', 'repair'],
      price: [9, 159],
      kinds: [
        [
          'Screwdriver Set',
          'Twelve screwdrivers with hardened tips that do not slip out of the slot. The handles roll neither off benches nor roofs.',
        ],
        ['Claw Hammer', 'A hammer with a long handle and a claw that pulls the stubbornest nail. It rings true.'],
        [
          'Adjustable Wrench Pair',
          'Two wrenches with thin jaws for taps, bikes and boilers. The screw holds its setting.',
        ],
      ],
      details: [
        'The steel is chrome vanadium, tempered twice.',
        'Soft grips damp the shock.',
        'Sizes are stamped large on both sides.',
        'It hangs on a nail or a pegboard.',
      ],
    },
    {
      name: 'Measuring',
      tags: ['accuracy', 'laser', 'level'],
      price: [7, 249],
      kinds: [
        [
          'Self-Levelling Cross Laser',
          'A laser that draws a level and a plumb line on any wall for tiles, pictures and cupboards. It settles by itself.',
        ],
        [
          'Eight-Metre Tape Measure',
          'A tape that stands out three metres without buckling. The hook grips on top and underneath.',
        ],
        [
          'Digital Caliper',
          'A caliper that measures bolts, bores and steps to a hundredth of a millimetre. It wakes when it is opened.',
        ],
      ],
      details: [
        'It is accurate to less than half a millimetre over five metres.',
        'Numbers can be read at arm’s length.',
        'It survives a fall from a ladder.',
        'A magnet holds it to steel beams.',
      ],
    },
    {
      name: 'Saws and sanders',
      tags: ['woodwork', 'cutting', 'dust extraction'],
      price: [15, 399],
      kinds: [
        [
          'Japanese Pull Saw',
          'A thin saw that cuts on the pull and leaves a surface like planed. It follows a pencil line to the end.',
        ],
        [
          'Cordless Jigsaw',
          'A jigsaw for curves in worktops and sheets of ply. The blade swings out for speed or straight for neatness.',
        ],
        ['Random Orbit Sander', 'A sander that leaves no swirls on table tops and doors. Paper changes in a second.'],
      ],
      details: [
        'A vacuum cleaner plugs straight in.',
        'Blades change without a key.',
        'Hands do not tingle after an hour.',
        'The base is metal and stays flat.',
      ],
    },
    {
      name: 'Workshop and safety',
      tags: ['safety', 'workshop', 'light'],
      price: [6, 199],
      kinds: [
        [
          'Folding Workbench',
          'A bench that unfolds in ten seconds and clamps doors, pipes and planks. It carries a grown person.',
        ],
        [
          'Rechargeable Work Light',
          'A flat, bright light with a magnet and a hook for engines, lofts and power cuts. It turns on its own hinge.',
        ],
        [
          'Ear and Eye Protection Set',
          'Muffs, goggles and a box of masks for dusty, noisy Saturdays. They can be worn together.',
        ],
      ],
      details: [
        'It stores in the gap beside a wardrobe.',
        'The feet grip on concrete and grass.',
        'It has been dropped, rained on and driven over.',
        'Glasses fit underneath.',
      ],
    },
  ],
};
