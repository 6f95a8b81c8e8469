import {
  CalendarClock,
  ChartLine,
  CircleQuestionMark,
  Ellipsis,
  FileUp,
  House,
  Landmark,
  ListChecks,
  type LucideIcon,
  Mail,
  ReceiptText,
  Settings,
  Tags,
} from 'lucide-react'
import { frameWords } from '../words/frame.ts'

/** An entry of the navigation. */
export interface Place {
  to: string
  text: string
  icon: LucideIcon
  /** Shortcut that opens the screen, after `g`. */
  key: string
}

/** Navigation entries in order. The tab bar of a phone shows the first ones, and `more`. */
export const places = [
  { to: '/', text: frameWords.home, icon: House, key: 'h' },
  { to: '/transactions', text: frameWords.transactions, icon: ReceiptText, key: 't' },
  { to: '/envelopes', text: frameWords.envelopes, icon: Mail, key: 'e' },
  { to: '/forecast', text: frameWords.forecast, icon: ChartLine, key: 'f' },
  { to: '/schedules', text: frameWords.schedules, icon: CalendarClock, key: 'p' },
  { to: '/imports', text: frameWords.imports, icon: FileUp, key: 'i' },
  { to: '/rules', text: frameWords.rules, icon: ListChecks, key: 'r' },
  { to: '/tags', text: frameWords.tags, icon: Tags, key: 'l' },
  { to: '/accounts', text: frameWords.accounts, icon: Landmark, key: 'a' },
  { to: '/settings', text: frameWords.settings, icon: Settings, key: 's' },
  { to: '/help', text: frameWords.help, icon: CircleQuestionMark, key: '?' },
] as const satisfies Place[]

export const more = { to: '/more', text: frameWords.more, icon: Ellipsis } as const satisfies Omit<
  Place,
  'key'
>

/** Number of entries in the tab bar of a phone, besides `more`: six would be cut off. */
export const barPlacesMax = 4
