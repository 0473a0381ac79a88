declare const __VERSION__: string;

declare module '*.css';

declare module 'virtual:schema/*' {
  const schema: import('./parts/schema-form/schema.js').Schema;
  export default schema;
}
declare module '*.svg' {
  const address: string;
  export default address;
}
