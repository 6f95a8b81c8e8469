/** Number of characters of a ULID. */
const ulidLength = 26

/** Returns the reason why a text is not an ID with this prefix, as an error text for the client. */
export function idFault(prefix: string, text: string): string {
  if (text === '') return 'it is blank'
  const shown = /^\w{1,40}$/.test(text) ? text : 'it'
  const [, other] = /^([a-z]{2,5})_/.exec(text) ?? []
  if (other === undefined) return `${shown} has no such prefix`
  if (other !== prefix) return `${shown} begins with ${other}_`
  const ulid = text.slice(prefix.length + 1)
  const counted = `${ulidLength} characters follow the prefix, not ${ulid.length}`
  if (ulid.length < ulidLength) return `${shown} is too short (${counted})`
  if (ulid.length > ulidLength) return `${shown} is too long (${counted})`
  return /[A-Z]/.test(ulid)
    ? `${shown} has upper-case letters`
    : `${shown} has a character that no ID has`
}
