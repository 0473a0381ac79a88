/** The model that set-up and the packages bring, with which a command works where there is no network. */
export const STARTER_MODEL = 'hf/all-MiniLM-L6-v2';
