import type { refusals } from './en/refusals.ts'
import type { texts } from './en.ts'

/** Texts of refusals are many: a page loads them when it needs one. */
type Texts = typeof texts & { refusals: typeof refusals }

/** A catalogue of the texts of one screen. */
export type Part = keyof typeof texts

/**
 * Texts of a part in another language. A text that is missing, or that lacks a value of the
 * English one, does not compile.
 */
export type Translation<P extends keyof Texts> = Translated<Texts[P]>

type Translated<T> = T extends string
  ? Naming<keyof Values<T> & string>
  : { readonly [Key in keyof T]: Translated<T[Key]> }

/** A text that has each of these values. */
type Naming<Name extends string> = [Name] extends [never]
  ? string
  : Intersected<Name extends string ? (text: `${string}{${Name}${'}' | ','}${string}`) => void : 0>

type Intersected<Functions> = [Functions] extends [(text: infer Text) => void] ? Text : never

/** Texts of a part for screens: one with values is a function of them. */
export type Words<P extends Part> = Spoken<Texts[P]>

type Spoken<T> = T extends string
  ? keyof Values<T> extends never
    ? string
    : (values: Values<T>) => string
  : { readonly [Key in keyof T]: Spoken<T[Key]> }

/**
 * Values of a message (ICU MessageFormat) by name, read by a stack: within a message `{` begins an
 * argument, within an argument with branches it begins the message of one.
 */
type Values<S extends string> = Flat<Message<S, []>>
type Flat<T> = { [Key in keyof T]: T[Key] }

type Message<S extends string, Stack extends string[]> = S extends `${infer Text}{${infer Rest}`
  ? Text extends `${string}}${string}`
    ? Close<S, Stack>
    : Argument<Rest, Stack>
  : Close<S, Stack>

type Close<S extends string, Stack extends string[]> = S extends `${string}}${infer Rest}`
  ? Stack extends [infer Top, ...infer Below extends string[]]
    ? Top extends 'message'
      ? Branches<Rest, Below>
      : Message<Rest, Below>
    : object
  : object

type Branches<S extends string, Stack extends string[]> = S extends `${infer Text}{${infer Rest}`
  ? Text extends `${string}}${string}`
    ? Close<S, Stack>
    : Message<Rest, ['message', ...Stack]>
  : Close<S, Stack>

type Argument<S extends string, Stack extends string[]> = S extends `${infer Name}}${infer Rest}`
  ? Name extends `${string},${string}`
    ? S extends `${infer Own}, ${infer Kind}, ${infer Inner}`
      ? Record<Own, Kind extends 'select' ? string | boolean : number> &
          Branches<Inner, ['argument', ...Stack]>
      : never
    : Record<Name, string | number> & Message<Rest, Stack>
  : never
