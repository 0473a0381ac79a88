import { HelpCentre } from './agentic/help-centre.js';
import { KeptContext } from './agentic/kept-context.js';
import { SettingsStore } from './settings-store.js';
import { type SettingsVersion, SettingsVersions } from './settings-versions.js';
import { type PlaceOfShop, ShopFiles, type Tell } from './shop-files.js';

/** The outcome for files of a shop in older places. */
export interface OlderState {
  /** The reason that it could not be brought over. */
  readonly fault?: string | null;
  /** The reason that a context of it may be lost. */
  readonly lostContext?: string | null;
}

/** The state that is kept of a shop besides its products. A part that cannot be read is closed, and nothing else. */
export class KeptShop {
  readonly settings: SettingsStore;
  readonly #files: ShopFiles;
  #context: KeptContext;
  #helpCentre: HelpCentre;

  private constructor(files: ShopFiles, settings: SettingsStore, context: KeptContext, helpCentre: HelpCentre) {
    this.#files = files;
    this.settings = settings;
    this.#context = context;
    this.#helpCentre = helpCentre;
  }

  /** Creates the state of a shop of which nothing was kept yet. */
  static create(shop: PlaceOfShop): KeptShop {
    const files = ShopFiles.create(shop);
    const settings = new SettingsStore(SettingsVersions.create(files));
    return new KeptShop(files, settings, KeptContext.create(files), HelpCentre.create(files));
  }

  static async open(shop: PlaceOfShop, tell: Tell, { fault, lostContext }: OlderState = {}): Promise<KeptShop> {
    const files = fault == null ? await ShopFiles.open(shop) : ShopFiles.closed(shop, fault);
    const settings = new SettingsStore(await SettingsVersions.open(files, tell));
    const context = await KeptContext.open(files, lostContext ?? null);
    return new KeptShop(files, settings, context, await HelpCentre.open(files));
  }

  get context(): KeptContext {
    return this.#context;
  }

  get helpCentre(): HelpCentre {
    return this.#helpCentre;
  }

  /** As {@link SettingsStore.rollBack}, which may open the shop again: then the rest is looked at again too. */
  async rollBackSettings(version: number, expected: number | null): Promise<SettingsVersion> {
    const wasClosed = this.#files.fault !== null;
    const newest = await this.settings.rollBack(version, expected);
    if (wasClosed) {
      this.#context = await KeptContext.open(this.#files, null);
      this.#helpCentre = await HelpCentre.open(this.#files);
    }
    return newest;
  }

  /** The reasons that some of it cannot be used, each once. */
  get faults(): readonly string[] {
    const faults = [this.settings.fault, this.#context.fault, this.#helpCentre.fault];
    return [...new Set(faults.filter((fault) => fault !== null))];
  }

  /** @throws PelorusError `backend_data_parsing_error` where what shoppers are told by words cannot be read */
  checkWords(): void {
    void this.context.value;
    this.helpCentre.find('', 0);
  }
}
