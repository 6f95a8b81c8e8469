import type { File } from '../files.ts'
import { type Module, resolve } from '../modules.ts'
import { type Arrow, drawnArrows } from '../rooms.ts'

const library = /^services\/(kit|sync-kit)\//

/** A part of the mesh with its code: that of its package, and the library files that it imports. */
interface Part {
  name: string
  code: File[]
}

/** Returns the gateway and each service, with their code. */
export function partsOf(files: File[], modules: Module[]): Part[] {
  const texts = new Map(files.map((file) => [file.path, file]))
  const imports = new Map(modules.map((module) => [module.path, module.imports]))
  const names = new Map<string, string[]>()
  for (const { path } of modules) {
    const [, name] = /^(?:services\/)?([a-z-]+)\/src\//.exec(path) ?? []
    const isPart = name === 'gateway' || /^services\/(?!kit|sync-kit|host)/.test(path)
    if (name === undefined || !isPart || path.endsWith('.test.ts')) continue
    names.set(name, [...(names.get(name) ?? []), path])
  }
  return [...names].map(([name, own]) => {
    const reached = new Set(own)
    for (const path of reached) {
      for (const { specifier } of imports.get(path) ?? []) {
        const target = resolve(path, specifier)
        if (target !== null && library.test(target)) reached.add(target)
      }
    }
    return { name, code: [...reached].flatMap((path) => texts.get(path) ?? []) }
  })
}

/** Returns the calls between parts: `mesh.client('ledger', …)` in the code of another one. */
function callsOf(parts: Part[]): Arrow[] {
  return parts.flatMap(({ name: from, code }) => {
    const called = new Map<string, string>()
    for (const { path, text } of code) {
      for (const [, to = ''] of text.matchAll(/\bclient\(\s*'([a-z-]+)'/g)) called.set(to, path)
    }
    return [...called].flatMap(([to, example]) => (to === from ? [] : { from, to, example }))
  })
}

/** Returns differences between the calls of parts and the solid arrows of the README's picture. */
export function callFaults(readme: File, parts: Part[]): string[] {
  const names = new Set(parts.map(({ name }) => name))
  const drawn = drawnArrows(readme.text)
    .filter(({ from, to }) => names.has(from) && names.has(to))
    .map(({ from, to }) => `${from} --> ${to}`)
  const calls = callsOf(parts).map(({ from, to }) => `${from} --> ${to}`)
  return [
    ...drawn.filter((one) => !calls.includes(one)).map((one) => `${readme.path}: no call ${one}`),
    ...calls.filter((one) => !drawn.includes(one)).map((one) => `${readme.path}: lacks ${one}`),
  ]
}

/**
 * Returns faults of the table of events in a page: events of `proto/` without a row, services that
 * handle an event (`on(LinkDeletedSchema, …)`) and are not in its row, and the reverse.
 */
export function eventFaults(page: File, files: File[], parts: Part[]): string[] {
  const rows = page.text.split('\n').filter((line) => /^\| `[A-Z]/.test(line))
  const services = parts.map(({ name }) => name).filter((name) => name !== 'gateway')
  const events = files
    .filter(({ path }) => /^proto\/.*\/events\.proto$/.test(path))
    .flatMap(({ text }) => [...text.matchAll(/^message (\w+)/gm)].map(([, name = '']) => name))
  return events.flatMap((event) => {
    if (page.text.includes(`\`${event}\` is of an earlier version`)) return []
    const row = rows.find((line) => line.split('|')[1]?.includes(`\`${event}\``))
    if (row === undefined) return [`${page.path}: no row of ${event}`]
    const handles = new RegExp(`\\bon\\(\\s*${event}Schema\\b`)
    const named = row.split('|')[4] ?? ''
    return services.flatMap((service) => {
      const isNamed = new RegExp(`(?<![\\w-])${service}(?![\\w-])`).test(named)
      const part = parts.find(({ name }) => name === service)
      const isHandled = part?.code.some(({ text }) => handles.test(text)) ?? false
      if (isNamed === isHandled) return []
      const fault = isHandled ? 'is not in the row of' : 'does not handle'
      return [`${page.path}: ${service} ${fault} ${event}`]
    })
  })
}
