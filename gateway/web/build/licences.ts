import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'
import type { Licence } from '../src/screens/settings/licence-list.ts'

interface Manifest {
  name: string
  version: string
  license?: string
  dependencies?: Record<string, string>
}

/** Plug-in that puts the licences of all packages of a folder into `licence-list.ts`. */
export function licences(folder: string): Plugin {
  return {
    name: 'coffer-licences',
    enforce: 'pre',
    load: (file) =>
      file.endsWith('/licence-list.ts')
        ? `export const licences = ${JSON.stringify(listLicences(folder))}`
        : null,
  }
}

/** Returns the licences of the dependencies of a package, and of theirs, by name. */
function listLicences(folder: string): Licence[] {
  const found = new Map<string, Licence>()
  const look = (place: string) => {
    for (const name of Object.keys(read(place).dependencies ?? {})) {
      const own = findPackage(name, place)
      // Leaves out the client: it is a part of Coffer, and has no dependencies of its own.
      if (own === null || name.startsWith('@coffer/') || found.has(own)) continue
      const { version, license: licence = '' } = read(own)
      found.set(own, { name, version, licence, text: textOf(own) })
      look(own)
    }
  }
  look(folder)
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name))
}

function read(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** Returns the folder of a package, as Node.js finds it from another folder; null without one. */
function findPackage(name: string, from: string): string | null {
  const own = join(from, 'node_modules', name)
  if (existsSync(join(own, 'package.json'))) return realpathSync(own)
  return dirname(from) === from ? null : findPackage(name, dirname(from))
}

function textOf(folder: string): string {
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
}
