import { passwordOf } from './world.ts'

/** A key of a Secret that a pod has. */
export interface SecretKey {
  secret: string
  key: string
}

/** The variables of a container: texts, and those from Secrets by `valueOf`. */
export type ChartVariables = Record<string, string | SecretKey>

/** Returns the rendered object of a kind with a name (YAML). Throws if there is none. */
export function objectIn(text: string, kind: string, name: string): string {
  const found = text
    .split(/^---$/m)
    .find((one) => one.includes(`\nkind: ${kind}\n`) && one.includes(`\n  name: ${name}\n`))
  if (found === undefined) throw new Error(`no ${kind} ${name}`)
  return found
}

/** Returns the variables of the one container of a rendered object. */
export function variablesIn(object: string): ChartVariables {
  const fromSecret = 'valueFrom:\\n +secretKeyRef:\\n +name: (\\S+)\\n +key: (\\S+)'
  const variable = `- name: ((?:COFFER|AWS)_\\w+)\\n +(?:value: (".*")|${fromSecret})\\n`
  const found = object.matchAll(new RegExp(variable, 'g'))
  return Object.fromEntries(
    [...found].map(([, name = '', text, secret = '', key = '']) => {
      return [name, text === undefined ? { secret, key } : (JSON.parse(text) as string)]
    }),
  )
}

/** Returns the variables with the content of the Secrets that the guide creates. */
export function environmentIn(variables: ChartVariables): Record<string, string> {
  const texts = Object.entries(variables).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : contentOf(value)]
  })
  return Object.fromEntries(texts)
}

/** The content of the Secrets that the guide creates (docs/running/kubernetes.md). */
function contentOf({ secret, key }: SecretKey): string {
  const password = passwordOf(key)
  if (secret === 'coffer-nats') return `nats://coffer-${key}:${password}@nats:4222`
  if (secret === 'coffer-mail') return 'smtp://mail.example.com'
  if (secret === 'coffer-reader') return 'postgres://coffer_reader:reading@postgres:5432/coffer'
  if (secret !== 'coffer-databases') return `${secret}-${key}`
  const role = key === 'owner' ? 'coffer' : `coffer_${key.replaceAll('-', '_')}`
  return `postgres://${role}:${password}@postgres:5432/coffer`
}
