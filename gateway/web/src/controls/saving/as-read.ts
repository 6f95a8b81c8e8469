/** An object that has changed since a form showed it, in fields that the form would change. */
export interface Conflict<Subject> {
  present: Subject
  fields: string[]
}

/** The answer to a change, or the conflict because of which it was not sent. */
export interface Saved<Subject, Data = unknown> {
  data?: Data
  conflict?: Conflict<Subject>
}

interface Answer<Data> {
  data: Data
  etag: string | null
}

interface Parts<Subject, Body, Data> {
  /** The object as the person has seen it last. */
  seen: Subject
  body: Body
  read: () => Promise<Answer<Subject>>
  update: (body: Body, condition: { ifMatch?: string }) => Promise<{ data: Data }>
}

/** Attempts to change an object that others change all the time. */
const attemptsMax = 3

/**
 * Changes an object unless others have changed the same fields since it was seen: then it is a
 * conflict. Optimistic concurrency by `If-Match` (docs/api/conditional-requests.md): a change
 * between the read and the update is noticed too. Changes of other fields stay.
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
      // A proxy that compresses makes tags weak, which match nothing.
      return await update(body, etag?.startsWith('"') ? { ifMatch: etag } : {})
    } catch (error) {
      if (!isOutdated(error) || attempt === attemptsMax) throw error
    }
  }
}

/** Returns the fields of a form whose values differ from those of the object that it has shown. */
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

/** Returns whether a body sets a field to another value than the present one. */
function isOf(body: object, field: string, present: object): boolean {
  const textOf = (of: object) => JSON.stringify(Object.entries(of).find(([key]) => key === field))
  const wanted = textOf(body)
  return wanted !== undefined && wanted !== textOf(present)
}

function isOutdated(error: unknown): boolean {
  return (error as { status?: unknown }).status === 412
}
