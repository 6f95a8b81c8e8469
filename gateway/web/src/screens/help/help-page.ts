import type { HelpName } from '../../words/frame.ts'

/** Inline content of a paragraph (CommonMark). */
export type Inline =
  | { kind: 'text' | 'code'; text: string }
  | { kind: 'strong' | 'em'; parts: Inline[] }
  | { kind: 'link'; parts: Inline[]; page: HelpName; anchor: string | undefined }

/** A block of a page (CommonMark). Width and height of an image are in CSS pixels. */
export type Block =
  | { kind: 'heading'; level: number; anchor: string; parts: Inline[] }
  | { kind: 'paragraph'; parts: Inline[] }
  | { kind: 'list'; isOrdered: boolean; items: Block[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'code'; text: string }
  | { kind: 'picture'; url: string; alt: string; width: number; height: number }

/** A page of the help; `about` is its first paragraph. */
export interface HelpPage {
  name: HelpName
  title: string
  about: Inline[]
  blocks: Block[]
}
