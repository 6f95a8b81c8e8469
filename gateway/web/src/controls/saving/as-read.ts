/** A concurrent change by others of fields that the form changes too. */
export interface Conflict<Subject> {
  present: Subject
  fields: string[]
}

/** The answer to a change, or the conflict that prevented it. */
export interface Saved<Subject, Data = unknown> {
  data?: Data
  conflict?: Conflict<Subject>
}

interface Answer<Data> {
  data: Data
  etag: string | null
}

interface Parts<Subject, Body, Data> {
  /** The object in the state that the user has seen last. */
  seen: Subject
  body: Body
  read: () => Promise<Answer<Subject>>
  update: (body: Body, condition: { ifMatch?: string }) => Promise<{ data: Data }>
}

/** Maximum number of attempts if others keep changing the object. */
const attemptsMax = 3

/**
 * Updates an object unless others have changed the same fields since it was seen, which is a
 * conflict. Optimistic concurrency: `If-Match` (docs/api/conditional-requests.md) also detects a
 * change between read and update. Changes of other fields by others are kept.
 */
export async function updateAsRead<Subject extends object, Body extends object, Data>({
  seen,
  body,
  read,
  update,
}: Parts<Subject, Body, Data>): Promise<Saved<Subject, Data>> {
  for (let attempt = 1; ; attempt += 1) {
    const { data: present, etag } = await read()
    const fields = differing(seen, present).filter((field) => isOf(body, field, present))
    if (fields.length > 0) return { conflict: { present, fields } }
    try {
      // No condition for a weak tag, which `If-Match` never matches: proxies that compress make
      // tags weak.
      return await update(body, etag?.startsWith('"') ? { ifMatch: etag } : {})
    } catch (error) {
      if (!isOutdated(error) || attempt === attemptsMax) throw error
    }
  }
}

/** Returns the fields of a form whose values differ from the object that it showed. */
export function changesOf<Fields extends object>(
  fields: Fields,
  shown: NoInfer<Fields>,
): Partial<Fields> {
  const changed = differing(shown, fields)
  const entries = Object.entries(fields).filter(([field]) => changed.includes(field))
  return Object.fromEntries(entries) as Partial<Fields>
}

function differing(seen: object, present: object): string[] {
  const former = new Map(Object.entries(seen))
  return Object.entries(present).flatMap(([field, value]) =>
    JSON.stringify(former.get(field)) === JSON.stringify(value) ? [] : [field],
  )
}

/** Returns whether a body sets a field to a value other than the current one. */
function isOf(body: object, field: string, present: object): boolean {
  const textOf = (of: object) => JSON.stringify(Object.entries(of).find(([key]) => key === field))
  const wanted = textOf(body)
  return wanted !== undefined && wanted !== textOf(present)
}

function isOutdated(error: unknown): boolean {
  return (error as { status?: unknown }).status === 412
}
