import { formatMoney } from '../../strings/strings.js';
import type { Money } from './analytics.js';

/** Amounts of all currencies. */
export const moneyOf = (money: Money): string =>
  Object.entries(money)
    .map(([currency, amount]) => formatMoney(amount, currency))
    .join(', ') || '–';
