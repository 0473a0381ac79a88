import type { Category } from './category.js';

export const footwear: Category = {
  name: 'Footwear',
  brands: ['Stridewell', 'Calder Last', 'Mossfoot', 'Vento'],
  series: ['Pace', 'Granite', 'Harrier', 'Lowland', 'Tempo', 'Burr'],
  colours: ['charcoal', 'tan', 'white', 'navy', 'brick red', 'olive'],
  closings: [
    'The sole can be replaced by any cobbler.',
    'True to size; choose half a size up for thick socks.',
    'Comes with a spare pair of laces in a second colour.',
  ],
  families: [
    {
      name: 'Hiking boots',
      tags: ['hiking', 'ankle support', 'waterproof'],
      price: [109, 289],
      kinds: [
        [
          'Leather Trekking Boot',
          'A high leather boot for heavy packs and rocky trails. It moulds to the foot within a few days and lasts for years.',
        ],
        ['Light Mid Hiker', 'A light mid-cut boot for day hikes on mixed paths. It needs no breaking in.'],
        [
          'Approach Shoe',
          'A sticky-soled shoe for scrambling and the walk to the crag. The lacing runs right down to the toes.',
        ],
      ],
      details: [
        'Deep lugs bite into mud and shed it again at the next step.',
        'The membrane keeps water out on stream crossings.',
        'A rubber rand guards the toe against scree.',
        'The ankle is padded enough to save a turned foot.',
      ],
    },
    {
      name: 'Running shoes',
      tags: ['running', 'cushioned', 'sport'],
      price: [79, 199],
      kinds: [
        [
          'Road Running Shoe',
          'A cushioned shoe for daily miles on tarmac. The foam gives back energy at every stride.',
        ],
        [
          'Trail Running Shoe',
          'A grippy shoe for muddy hills and forest tracks. A plate under the forefoot takes the sting out of stones.',
        ],
        [
          'Racing Flat',
          'A bare-bones shoe for race day, from five kilometres to the marathon. It weighs about as much as a banana.',
        ],
      ],
      details: [
        'The knitted upper breathes and holds the midfoot firmly.',
        'A wide toe box leaves room for feet that swell on long runs.',
        'The drop from heel to toe is six millimetres.',
        'Bright panels catch the light on dark evenings.',
      ],
    },
    {
      name: 'Winter boots',
      tags: ['winter', 'insulated', 'snow'],
      price: [89, 229],
      kinds: [
        [
          'Insulated Snow Boot',
          'A lined boot for deep snow and standing about in the cold. The felt liner comes out to dry overnight.',
        ],
        [
          'Chelsea Boot with Fleece Lining',
          'A pull-on boot for slushy pavements that still looks smart at the office. Fleece lines it down to the toes.',
        ],
        [
          'Ice-Grip Walking Boot',
          'A walking boot with studs that turn out when paths freeze over. It gives old and young a sure step on ice.',
        ],
      ],
      details: [
        'Feet stay warm at minus twenty as long as you keep moving.',
        'The tongue is sewn in on both sides, so snow cannot get past it.',
        'Soft rubber stays supple in hard frost.',
        'Loops at the back help cold fingers pull it on.',
      ],
    },
    {
      name: 'Sandals',
      tags: ['summer', 'beach', 'open toe'],
      price: [29, 119],
      kinds: [
        [
          'Walking Sandal',
          'A strapped sandal for hot trails, river beds and city sightseeing. Three straps adjust to any foot.',
        ],
        [
          'Cork Footbed Slide',
          'A slip-on with a cork footbed that takes the shape of the sole. Made for gardens, balconies and summer errands.',
        ],
        [
          'Beach Flip-Flop',
          'A simple flip-flop of natural rubber for the beach and the pool. It floats if the tide takes it.',
        ],
      ],
      details: [
        'The arch is supported enough for a whole day on foot.',
        'Salt water does no harm to straps or buckles.',
        'The lining is soft from the first hour and rubs nowhere.',
        'The sole grips wet tiles.',
      ],
    },
    {
      name: 'Everyday trainers',
      tags: ['casual', 'city', 'comfortable'],
      price: [55, 149],
      kinds: [
        [
          'Canvas Low-Top',
          'A plain canvas shoe that goes with jeans, shorts or a suit. It gets better with every scuff.',
        ],
        [
          'Leather Court Trainer',
          'A clean leather trainer modelled on the tennis shoes of the seventies. One pair serves office and weekend.',
        ],
        [
          'Slip-On Knit Trainer',
          'A shoe as easy as a sock for airports, hospital shifts and lazy Sundays. Put it on without hands.',
        ],
      ],
      details: [
        'The insole lifts out for washing.',
        'Stitching goes right through the sole instead of relying on glue.',
        'A padded collar spares the heel on the first wear.',
        'Packed in a plain box without plastic.',
      ],
    },
  ],
};
