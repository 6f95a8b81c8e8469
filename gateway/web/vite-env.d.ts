/// <reference types="vite/client" />

declare module '*.module.css' {
  /**
   * Classes of a CSS module. `any`, because each class is a string, while index types would add
   * undefined.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a class that is not there is found by eye
  const classes: any
  // biome-ignore lint/style/noDefaultExport: the form in which Vite exports them
  export default classes
}
