import type { ComponentType } from 'preact';
import { isHosted } from './server/session.js';
import { t } from './strings/strings.js';

/** The place of a page: the segments behind its own. */
export interface PageProps {
  readonly segments: readonly string[];
}

/** A page: a folder below `pages`, loaded when it is opened first. */
export interface Page {
  readonly segment: string;
  readonly title: string;
  /** The paths of its sign, drawn in a square of 20 by 20. */
  readonly icon: string;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

/** All pages, in the order of the menu; the first is shown at the bare address. Shops are those of the hosted form. */
export const pages: readonly Page[] = [
  {
    segment: 'indexes',
    title: t.pages.indexes,
    icon: 'M3 5.5c0-1.4 3.1-2.5 7-2.5s7 1.1 7 2.5S13.900 8 10 8 3 6.900 3 5.500zm0 0V10c0 1.400 3.100 2.500 7 2.500s7-1.100 7-2.500V5.500M3 10v4.500C3 15.900 6.100 17 10 17s7-1.100 7-2.500V10',
    load: () => import('./pages/indexes/indexes-page.js'),
  },
  {
    segment: 'search',
    title: t.pages.search,
    icon: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zm4.500-1.500L17 17',
    load: () => import('./pages/search/search-page.js'),
  },
  {
    segment: 'relevance',
    title: t.pages.relevance,
    icon: 'M3 16.500h14M5 16.500V11M10 16.500V5M15 16.500V8M8 7l2-2.500L12 7',
    load: () => import('./pages/relevance/relevance-page.js'),
  },
  {
    segment: 'data',
    title: t.pages.data,
    icon: 'M3 4.500h14v11H3zM3 8h14M3 11.800h14M8 8v7.500',
    load: () => import('./pages/data/data-page.js'),
  },
  ...(isHosted
    ? [
        {
          segment: 'shops',
          title: t.pages.shops,
          icon: 'M3 8.500 4.500 3.500h11L17 8.500M3 8.500a2.300 2.300 0 0 0 4.700 0 2.300 2.300 0 0 0 4.600 0 2.300 2.300 0 0 0 4.700 0M4.500 11v5.500h11V11',
          load: () => import('./pages/shops/shops-page.js'),
        },
      ]
    : []),
  {
    segment: 'operations',
    title: t.pages.operations,
    icon: 'M3 10h3l2-6 4 12 2-6h3',
    load: () => import('./pages/operations/operations-page.js'),
  },
];
