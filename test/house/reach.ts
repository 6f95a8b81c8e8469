import { type Module, resolve } from './modules.ts'

/** Returns unused files under `src`: no entry point and no test of another file imports them. */
export function deadFiles(modules: Module[], entries: string[]): string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const isRoot = (path: string) => entries.includes(path) || !/(^|\/)src\//.test(path)
  const waiting = modules.filter(({ path }) => isRoot(path) || path.endsWith('.test.ts'))
  const reached = new Set(waiting.map((module) => module.path))
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    for (const target of targets(module)) {
      const next = byPath.get(target)
      const isOwnTest = module.path === target.replace(/\.ts$/, '.test.ts')
      if (next === undefined || reached.has(target) || isOwnTest) continue
      reached.add(target)
      waiting.push(next)
    }
  }
  const dead = modules.filter(({ path }) => !reached.has(path))
  return dead.map(({ path }) => `${path}: no file imports it`)
}

/** Returns exported values that no other file imports. */
export function unusedExports(modules: Module[], entries: string[]): string[] {
  const used = new Set<string>()
  const whole = new Set(entries)
  for (const { path, imports, mentions } of modules) {
    for (const { specifier, names } of imports) {
      const target = resolve(path, specifier)
      if (target === null) continue
      if (names === 'all') whole.add(target)
      else for (const name of names) used.add(`${target} ${name}`)
    }
    const named = imports.map((one) => one.specifier)
    for (const text of mentions.filter((mention) => !named.includes(mention))) {
      const target = resolve(path, text)
      if (target !== null) whole.add(target)
    }
  }
  const open = modules.filter(({ path }) => !whole.has(path) && !path.endsWith('.workflow.ts'))
  return open.flatMap(({ path, exports }) =>
    exports
      .filter((name) => !used.has(`${path} ${name}`))
      .map((name) => `${path}: no file imports ${name}`),
  )
}

function targets({ path, imports, mentions }: Module): string[] {
  const specifiers = [...imports.map((one) => one.specifier), ...mentions]
  return specifiers.flatMap((specifier) => resolve(path, specifier) ?? [])
}
