// biome-ignore lint/suspicious/noExplicitAny: JSON documents, read key by key
type Json = any

/**
 * Direction of a schema. A new version of an answer may only allow fewer values than the old one
 * (stricter), a new version of a request only more (laxer).
 */
type Side = 'answers' | 'requests'

/** Keywords of JSON Schema: a greater minimum is stricter, and so is a lesser maximum. */
const minima = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems']
const maxima = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems']

/**
 * Returns the differences of two OpenAPI documents that break clients, each as one line: a removed
 * operation, parameter, status or key, a request that requires more or allows less, an answer with
 * fewer keys or other values. Additions are no break; operations in preview are left out.
 */
export function breakingChanges(before: Json, after: Json): string[] {
  const faults: string[] = []
  for (const [path, methods] of Object.entries<Json>(before.paths)) {
    for (const [method, old] of Object.entries<Json>(methods)) {
      if (old['x-since'] === 'preview') continue
      const now = after.paths[path]?.[method]
      const name = old.operationId ?? `${method} ${path}`
      if (!now) faults.push(`${name}: ${method.toUpperCase()} ${path} is gone`)
      else if (now.operationId !== old.operationId) faults.push(`${name} is ${now.operationId}`)
      else faults.push(...breaksOf(name, { old, now }, { before, after }))
    }
  }
  return faults
}

function breaksOf(
  name: string,
  { old, now }: { old: Json; now: Json },
  documents: { before: Json; after: Json },
): string[] {
  const { before, after } = documents
  const faults: string[] = []
  const compare = (where: string, first: Json, second: Json, side: Side) =>
    schemaBreaks({ where, side, documents, seen: new Set() }, first, second)
  const wanted = (now.parameters ?? []).map((one: Json) => resolve(after, one))
  for (const sent of old.parameters ?? []) {
    const one = resolve(before, sent)
    const same = wanted.find((other: Json) => other.name === one.name && other.in === one.in)
    if (!same) faults.push(`${name}: the parameter ${one.name} is gone`)
    else faults.push(...compare(`${name} ${one.name}`, one.schema, same.schema, 'requests'))
  }
  for (const one of wanted.filter(({ required }: Json) => required)) {
    const isOld = (old.parameters ?? []).some((sent: Json) => {
      const known = resolve(before, sent)
      return known.name === one.name && known.required
    })
    if (!isOld) faults.push(`${name}: the parameter ${one.name} is required now`)
  }
  if (now.requestBody?.required && !old.requestBody?.required) {
    faults.push(`${name}: a body is required now`)
  }
  for (const [type, { schema }] of Object.entries<Json>(old.requestBody?.content ?? {})) {
    const body = now.requestBody?.content[type]?.schema
    if (!body) faults.push(`${name}: the body ${type} is gone`)
    else faults.push(...compare(`${name} body`, schema, body, 'requests'))
  }
  for (const [status, was] of Object.entries<Json>(old.responses)) {
    if (!status.startsWith('2')) continue
    const is = now.responses[status]
    if (!is) {
      faults.push(`${name}: the answer ${status} is gone`)
      continue
    }
    for (const [type, { schema }] of Object.entries<Json>(was.content ?? {})) {
      const body = is.content?.[type]?.schema
      if (!body) faults.push(`${name}: ${status} has no ${type} any more`)
      else faults.push(...compare(`${name} ${status}`, schema, body, 'answers'))
    }
  }
  return faults
}

interface Comparison {
  where: string
  side: Side
  documents: { before: Json; after: Json }
  /** Pairs of named schemas that are being compared, to end the recursion of cyclic schemas. */
  seen: ReadonlySet<string>
}

function schemaBreaks(at: Comparison, first: Json, second: Json): string[] {
  const { where, side, documents } = at
  const pair = `${first?.$ref}~${second?.$ref}`
  if (first?.$ref && second?.$ref && at.seen.has(pair)) return []
  const next = { ...at, seen: new Set([...at.seen, pair]) }
  const old = flat(documents.before, first ?? {})
  const now = flat(documents.after, second ?? {})
  if (old.variants || now.variants) {
    const [from, to] = side === 'answers' ? [now, old] : [old, now]
    const isMet = (one: Json) =>
      (to.variants ?? [to]).some((other: Json) => {
        const [was, is] = side === 'answers' ? [other, one] : [one, other]
        return schemaBreaks(next, was, is).length === 0
      })
    const lost = (from.variants ?? [from]).filter((one: Json) => !isMet(one))
    return lost.map((one: Json) => `${where}: ${JSON.stringify(one).slice(0, 80)} is no match`)
  }
  const [strict, lax] = side === 'answers' ? [now, old] : [old, now]
  return [
    ...typeBreaks(at, { strict, lax }),
    ...keyBreaks(next, old, now),
    ...(old.items ? schemaBreaks({ ...next, where: `${where}[]` }, old.items, now.items) : []),
  ]
}

/** Returns a fault for each rule of `lax` that values of `strict` may violate. */
function typeBreaks({ where, side }: Comparison, { strict, lax }: { strict: Json; lax: Json }) {
  const faults: string[] = []
  const say = (what: string) => faults.push(`${where}: ${what} (${side})`)
  const types = (of: Json) => [of.type ?? []].flat()
  const isWithin = (type: string) =>
    types(lax).includes(type) || (type === 'integer' && types(lax).includes('number'))
  if (types(lax).length > 0 && (types(strict).length === 0 || !types(strict).every(isWithin))) {
    say(`type ${types(strict)} against ${types(lax)}`)
  }
  const values = (of: Json) => of.enum ?? ('const' in of ? [of.const] : null)
  if (values(lax) && !values(strict)?.every((one: unknown) => values(lax).includes(one))) {
    say(`values ${values(strict) ?? 'of any kind'} against ${values(lax)}`)
  }
  for (const key of side === 'requests' ? minima : []) {
    if (lax[key] !== undefined && !(strict[key] >= lax[key])) say(`${key} ${lax[key]}`)
  }
  for (const key of side === 'requests' ? maxima : []) {
    if (lax[key] !== undefined && !(strict[key] <= lax[key])) say(`${key} ${lax[key]}`)
  }
  if (side === 'requests' && !isPatternWithin(strict.pattern, lax.pattern)) {
    say(`pattern ${lax.pattern}`)
  }
  return faults
}

/**
 * Returns whether each text that matches `strict` matches `lax`. Compares only equal patterns, and
 * patterns that list their values, as those of `fields` and `currency` do.
 */
function isPatternWithin(strict: string | undefined, lax: string | undefined): boolean {
  const listed = (pattern = '') => {
    const [, keys, codes] =
      /^\^\(\?:([\w|]+)\)\(\?:,\(\?:\1\)\)\*\$$|^\^\(\?:([\w|]+)\)\$$/.exec(pattern) ?? []
    return (keys ?? codes)?.split('|')
  }
  const allowed = listed(lax)
  const isWider = allowed && listed(strict)?.every((key) => allowed.includes(key))
  return lax === undefined || strict === lax || isWider === true
}

function keyBreaks(at: Comparison, old: Json, now: Json): string[] {
  const { where, side } = at
  const faults: string[] = []
  for (const [key, schema] of Object.entries<Json>(old.properties ?? {})) {
    const same = now.properties?.[key]
    if (!same) faults.push(`${where}: the key ${key} is gone`)
    else faults.push(...schemaBreaks({ ...at, where: `${where}.${key}` }, schema, same))
  }
  const [promised, kept] = side === 'answers' ? [old, now] : [now, old]
  for (const key of promised.required ?? []) {
    if (kept.required?.includes(key)) continue
    const text = side === 'answers' ? 'may be missing' : 'is required'
    faults.push(`${where}: the key ${key} ${text} now`)
  }
  return faults
}

/** Returns a schema without references and `allOf`; `variants` are those of `anyOf` or `oneOf`. */
function flat(document: Json, schema: Json): Json {
  const own = resolve(document, schema)
  const parts = (own.allOf ?? []).map((part: Json) => flat(document, part))
  const { allOf: _, anyOf, oneOf, ...rest } = own
  const all = [rest, ...parts]
  const merged = {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required }) => required ?? []),
  }
  const variants = anyOf ?? oneOf
  return variants ? { ...merged, variants } : merged
}

function resolve(document: Json, value: Json): Json {
  if (!value?.$ref) return value
  const found = value.$ref.slice(2).split('/')
  return found.reduce((at: Json, key: string) => at[key], document)
}
