import type { PageProps } from '../../pages.js';
import './shops.css';
import { ShopDetail } from './shop-detail.js';
import { ShopList } from './shop-list.js';

/** All shops, or the one that the address names. */
export default function ShopsPage({ segments }: PageProps) {
  const [name, part] = segments;
  return name === undefined ? <ShopList /> : <ShopDetail key={name} name={name} part={part} />;
}
