const removed = '[removed]'
const depthMax = 6

/** Names of fields that hold secrets, in whatever object they are. */
const secretName = /password|secret|token|authorization|cookie/i

/** What of an error's own fields says where and how it failed, and never what with. */
const errorFields = [
  ...['code', 'constraint', 'schema', 'table', 'column', 'severity', 'routine'],
  ...['syscall', 'hostname', 'address', 'port', 'status', 'statusCode'],
]

type Fields = Record<string, unknown>

/**
 * The fields of a log line as they may be shown, however deep: secrets are removed by the name of
 * their field, and errors are cut to an allowlist. Errors of databases, parsers and HTTP clients
 * carry rows, statement parameters and headers. Returns the same object where nothing changes.
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
  if (typeof (value as Fields).toJSON === 'function') return value
  if (depth >= depthMax) return removed
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1))
  return redact(value as Fields, depth)
}

function redactError(error: Error, depth: number): Fields {
  const own = error as Error & Fields
  const shown: Fields = { type: typeOf(error), message: messageOf(own) }
  for (const name of errorFields) {
    if (['string', 'number'].includes(typeof own[name])) shown[name] = own[name]
  }
  if (Array.isArray(own.issues)) shown.issues = own.issues.map(issueOf)
  // The text before the first frame repeats the message.
  const frames = error.stack?.split('\n').filter((line) => line.startsWith('    at '))
  shown.stack = frames?.join('\n')
  if (depth >= depthMax) return shown
  if (error.cause !== undefined) shown.cause = redactValue(error.cause, depth + 1)
  if (Array.isArray(own.errors)) shown.errors = own.errors.map((one) => redactValue(one, depth + 1))
  return shown
}

/** Many libraries name their errors by the class alone. */
function typeOf(error: Error): string {
  return error.name === 'Error' ? error.constructor.name : error.name
}

/** Errors whose message quotes the value that could not be read: of slonik, and of JSON.parse. */
const quotingTypes = ['InvalidInputError', 'SyntaxError']

function messageOf(error: Error & Fields): string {
  const type = typeOf(error)
  // The message of a zod error is all of its issues, with texts of schemas.
  if (type.endsWith('ZodError')) return 'wrong shape'
  // Class 22 of Postgres: data exceptions.
  const isQuoting = quotingTypes.includes(type) || /^22/.test(String(error.code))
  const message = isQuoting ? error.message.replace(/["'].*["']/s, removed) : error.message
  // Addresses of people, and credentials in URLs.
  return message.replace(/[^\s'"<>(]+@[^\s'"<>)]+/g, removed)
}

/** Where a value had the wrong shape (zod), without the value. */
function issueOf(issue: Fields): Fields {
  const { path, code } = Object(issue) as Fields
  return { path, code }
}
