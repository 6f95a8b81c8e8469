import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { type Mesh, passwordOf } from './world.ts'

/** Returns the environments of `mesh.yaml`, with passwords in `.env` and nothing else. */
export function composeMesh(): Mesh {
  const textOf = (variable: string) => {
    const [, user] = /_PASSWORD_(\w+)$/.exec(variable) ?? []
    return user === undefined ? '' : passwordOf(user)
  }
  return {
    environmentOf: (part) => composeEnvironment(part, textOf),
    migration: composeEnvironment('migrate', textOf),
  }
}

/**
 * Returns the environment that `mesh.yaml` gives the container of a service, with these values for
 * the variables of `.env`; a variable without a value is empty. Reads the form that the file has:
 * anchors of variables, merged by `<<`, and one variable a line or folded into the next.
 */
function composeEnvironment(
  service: string,
  textOf: (variable: string) => string,
): Record<string, string> {
  const text = readFileSync(join(root, 'deploy/compose/mesh.yaml'), 'utf8')
  const block = new RegExp(`^ {2}${service}:\\n((?: {4}.*\\n|\\n)*)`, 'm').exec(text)?.[1] ?? ''
  const own = /^ {4}environment:\n((?: {6,}.*\n)*)/m.exec(block)?.[1] ?? ''
  const merged = [...(/<<: (.*)/.exec(own)?.[1] ?? '').matchAll(/\*([\w-]+)/g)]
  const anchors = merged.map(([, name]) => {
    return new RegExp(`^x-[\\w-]+: &${name}\\n((?: {2}.*\\n)*)`, 'm').exec(text)?.[1] ?? ''
  })
  const lines = [...anchors, own].join('').matchAll(/^ +(COFFER_\w+|AWS_\w+): (?:>-\n +)?(.*)$/gm)
  return Object.fromEntries(
    [...lines].map(([, name = '', value = '']) => {
      const unquoted = value.replace(/^"(.*)"$/, '$1')
      return [name, unquoted.replace(/\$\{(\w+)[^}]*\}/g, (_, variable) => textOf(variable))]
    }),
  )
}
