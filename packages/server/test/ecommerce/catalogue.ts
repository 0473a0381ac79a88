/** A product of the shops in tests, with a picture at `url`. */
export const variant = (url: string, id: string, parent: string, title: string, more: object = {}) => ({
  _id: id,
  parentProductId: parent,
  productTitle: title,
  variantImageUrl: url,
  price: 10,
  ...more,
});

const outdoor = ['Outdoor (men)'];

export const catalogue = (url: string) => [
  variant(url, 'boot-s', 'boot', 'Hiking boot', { color: 'brown', price: 120, productCollections: outdoor }),
  variant(url, 'boot-l', 'boot', 'Hiking boot', { color: 'black', price: 125, productCollections: outdoor }),
  variant(url, 'tent', 'tent', 'Tent', { color: 'green', price: 300, productCollections: [...outdoor, 'Camping'] }),
  variant(url, 'mug', 'mug', 'Enamel mug', { color: 'green', price: 9.5, productCollections: ['Camping'], stock: 0 }),
  variant(url, 'sofa', 'sofa', 'Sofa', { color: 'grey', price: 900, description: 'A couch for three' }),
  variant(url, 'lamp', 'lamp', 'Reading lamp', { color: 'black', price: 40, featured: 5 }),
];
