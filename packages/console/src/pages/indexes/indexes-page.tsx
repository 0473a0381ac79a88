import { useRemembered } from '../../documents/last-index.js';
import type { PageProps } from '../../pages.js';
import { isHosted } from '../../server/session.js';
import { HostedState } from './hosted-state.js';
import './indexes.css';
import { IndexDetail } from './index-detail.js';
import { IndexList } from './index-list.js';
import { RulesPart } from './rules-part.js';

/** All indexes, or the one that the address names. */
export default function IndexesPage({ segments }: PageProps) {
  const [name, part] = segments;
  useRemembered(name);
  if (name === undefined) return <IndexList />;
  const detail = part === 'rules' ? <RulesPart key={name} name={name} /> : <IndexDetail key={name} name={name} />;
  return isHosted ? <HostedState name={name}>{detail}</HostedState> : detail;
}
