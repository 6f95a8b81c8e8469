import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseSync, type TSType } from 'oxc-parser'

/** Declared types by name: the fields of an interface, or the texts of an enum. */
interface Declared {
  fields: Map<string, Map<string, { type: TSType; isOptional: boolean }>>
  texts: Map<string, unknown[]>
}

/**
 * Returns a checker of values of JSON against the types of Plaid's official client. It returns the
 * differences, such as `added.0.amount: is a string`; none if the value has the shape.
 */
export function readShapes(): (typeName: string, value: unknown) => string[] {
  const main = createRequire(import.meta.url).resolve('plaid')
  const file = join(main, '../api.d.ts')
  const declared = parseDeclared(file, readFileSync(file, 'utf8'))
  return (typeName, value) => namedFaults(declared, typeName, value, '')
}

function parseDeclared(file: string, source: string): Declared {
  const declared: Declared = { fields: new Map(), texts: new Map() }
  for (const statement of parseSync(file, source).program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue
    const { declaration } = statement
    if (declaration?.type === 'TSInterfaceDeclaration') {
      const fields = declaration.body.body.flatMap((one) => {
        if (one.type !== 'TSPropertySignature' || !one.typeAnnotation) return []
        const { key, optional, typeAnnotation } = one
        const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? key.value : ''
        return [[String(name), { type: typeAnnotation.typeAnnotation, isOptional: optional }]]
      }) as [string, { type: TSType; isOptional: boolean }][]
      declared.fields.set(declaration.id.name, new Map(fields))
    }
    if (declaration?.type === 'TSEnumDeclaration') {
      const texts = declaration.body.members.map(({ initializer }) => {
        return initializer?.type === 'Literal' ? initializer.value : undefined
      })
      declared.texts.set(declaration.id.name, texts)
    }
  }
  return declared
}

function namedFaults(declared: Declared, name: string, value: unknown, path: string): string[] {
  const texts = declared.texts.get(name)
  if (texts) return texts.includes(value) ? [] : [`${path}: ${JSON.stringify(value)} is no ${name}`]
  const fields = declared.fields.get(name)
  if (!fields) return [`${path}: the client has no type ${name}`]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${path}: is ${kindOf(value)}, no ${name}`]
  }
  const at = (key: string) => (path === '' ? key : `${path}.${key}`)
  const unknown = Object.keys(value).filter((key) => !fields.has(key))
  const known = [...fields].flatMap(([key, { type, isOptional }]) => {
    const own: unknown = (value as Record<string, unknown>)[key]
    if (own === undefined) return isOptional ? [] : [`${at(key)}: is missing`]
    return typeFaults(declared, type, own, at(key))
  })
  return [...unknown.map((key) => `${at(key)}: ${name} has no such field`), ...known]
}

function typeFaults(declared: Declared, type: TSType, value: unknown, path: string): string[] {
  const primitive = primitives[type.type]
  if (primitive) return primitive === kindOf(value) ? [] : [`${path}: is ${kindOf(value)}`]
  if (type.type === 'TSAnyKeyword') return []
  if (type.type === 'TSUnionType') {
    const faults = type.types.map((one) => typeFaults(declared, one, value, path))
    // The last type of a union with null is null: the faults of the first are more helpful.
    return faults.find((one) => one.length === 0) ?? faults[0] ?? []
  }
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') {
    return [`${path}: the checker does not know ${type.type}`]
  }
  const [each] = type.typeArguments?.params ?? []
  if (type.typeName.name !== 'Array' || !each) {
    return namedFaults(declared, type.typeName.name, value, path)
  }
  if (!Array.isArray(value)) return [`${path}: is ${kindOf(value)}, no list`]
  return value.flatMap((one, index) => typeFaults(declared, each, one, `${path}.${index}`))
}

const primitives: Partial<Record<TSType['type'], string>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSNullKeyword: 'null',
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value
}
