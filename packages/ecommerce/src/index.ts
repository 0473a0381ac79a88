export { ChatCompletions, ChatFailure, type ChatMessage, type ChatModel } from './agentic/chat-model.js';
export type { Category, DiscoveryEvent } from './agentic/discovery.js';
export type { Collection } from './collections.js';
export type { Settings } from './settings.js';
export type { SettingsVersion } from './settings-store.js';
export type { Shop } from './shop.js';
export type { FoundProducts, Hit, ShopSearch } from './shop-search.js';
export { type AnsweredSearch, customerOf, type ProductFigures, type ShopperFigures } from './shopper-figures.js';
export { type NewShop, type ShopOfPages, Shops, type ShopsOptions } from './shops.js';
