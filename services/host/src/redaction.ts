const removed = '[removed]'
const depthMax = 6

/** Matches names of fields with secrets, in any object. */
const secretName = /password|secret|token|authorization|cookie/i

/** Fields of errors that are logged (allowlist): they describe the failure and contain no data. */
const errorFields = [
  'code',
  'constraint',
  'schema',
  'table',
  'column',
  'severity',
  'routine',
  'syscall',
  'hostname',
  'address',
  'port',
  'status',
  'statusCode',
]

type Fields = Record<string, unknown>

/**
 * Redacts a log line at any depth. Replaces fields with names of secrets. Reduces errors to an
 * allowlist of fields, because they contain rows, parameters and headers. Returns the same object
 * if nothing changes.
 */
export function redact(fields: Fields, depth = 0): Fields {
  let shown = fields
  for (const [name, field] of Object.entries(fields)) {
    const shownField = secretName.test(name) ? removed : redactValue(field, depth + 1)
    if (shownField === field) continue
    if (shown === fields) shown = { ...fields }
    shown[name] = shownField
  }
  return shown
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Error.isError(value)) return redactError(value, depth)
  if (ArrayBuffer.isView(value)) return removed
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') return redactJson(value, toJSON.call(value), depth)
  if (depth >= depthMax) return removed
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1))
  return redact(value as Fields, depth)
}

/** Redacts the JSON form of a value (a date, a URL); returns the value if nothing changes. */
function redactJson(value: object, json: unknown, depth: number): unknown {
  const shown = typeof json === 'string' ? withoutAddresses(json) : redactForm(json, depth)
  return shown === json ? value : shown
}

/** The result of toJSON may have toJSON too; counting levels ends the recursion. */
function redactForm(json: unknown, depth: number): unknown {
  return depth >= depthMax ? removed : redactValue(json, depth + 1)
}

function redactError(error: Error, depth: number): Fields {
  const own = error as Error & Fields
  const shown: Fields = { type: typeOf(error), message: messageOf(own) }
  for (const name of errorFields) {
    if (['string', 'number'].includes(typeof own[name])) shown[name] = own[name]
  }
  if (Array.isArray(own.issues)) shown.issues = own.issues.map(issueOf)
  // Keeps only the frames, because the stack begins with the message, which is redacted separately.
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '))
  shown.stack = frames?.join('\n')
  if (depth >= depthMax) return shown
  if (error.cause !== undefined) shown.cause = redactValue(error.cause, depth + 1)
  if (Array.isArray(own.errors)) shown.errors = own.errors.map((one) => redactValue(one, depth + 1))
  return shown
}

/** Returns an error's type. Many libraries name only the class, and leave `name` as `Error`. */
function typeOf(error: Error): string {
  return error.name === 'Error' ? error.constructor.name : error.name
}

/** Types of errors whose message quotes the invalid value (slonik, JSON.parse). */
const quotingTypes = ['InvalidInputError', 'SyntaxError']

function messageOf(error: Error & Fields): string {
  const type = typeOf(error)
  // The message of a ZodError contains all issues, including texts from schemas, which may quote
  // values. `issueOf` logs the path and code of each issue instead.
  if (type.endsWith('ZodError')) return 'wrong shape'
  // SQLSTATE class 22 (data exceptions): the message quotes a value.
  const isQuoting = quotingTypes.includes(type) || /^22/.test(String(error.code))
  const message = isQuoting ? error.message.replace(/["'].*["']/s, removed) : error.message
  return withoutAddresses(message)
}

/** Removes email addresses, and credentials in URLs. */
function withoutAddresses(text: string): string {
  return text.replace(/[^\s'"<>(]+@[^\s'"<>)]+/g, removed)
}

/** Returns the path and code of a zod issue, without the value. */
function issueOf(issue: Fields): Fields {
  const { path, code } = Object(issue) as Fields
  return { path, code }
}
