/** A package in the bundle, with the text of its licence. */
export interface Licence {
  name: string
  version: string
  licence: string
  text: string
}

/** All packages of the app, by name. The build puts them into this file (build/licences.ts). */
export const licences: Licence[] = []
