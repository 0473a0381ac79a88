import type { PageProps } from '../../pages.js';
import './indexes.css';
import { IndexDetail } from './index-detail.js';
import { IndexList } from './index-list.js';

/** All indexes, or the one that the address names. */
export default function IndexesPage({ segments }: PageProps) {
  const [name] = segments;
  return name === undefined ? <IndexList /> : <IndexDetail key={name} name={name} />;
}
