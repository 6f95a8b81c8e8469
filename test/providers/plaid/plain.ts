/**
 * A type of Plaid's client as values of JSON: members of an enum are their texts, and an optional
 * field may be undefined.
 */
export type Plain<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Each)[]
    ? Plain<Each>[]
    : T extends object
      ? { [Key in keyof T]: Plain<T[Key]> | (undefined extends T[Key] ? undefined : never) }
      : T

/** Returns a JSON number with the digits of the text, such as 12.30. */
export function decimal(digits: string): number {
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(digits)) throw new Error(`${digits} is no JSON number`)
  // JSON.rawJSON is of ES2025 and is written as it is.
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => number }
  return rawJSON(digits)
}
