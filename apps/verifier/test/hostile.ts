const HOSTILE = [
  '<script>alert(N)</script>',
  '<img src=x onerror=alert(N)>',
  '"><svg onload=alert(N)>',
  "' onmouseover='alert(N)",
  'javascript:alert(N)',
  '</title><script>alert(N)</script>',
  '<!--',
  ']]>',
  '{{constructor.constructor("alert(N)")()}}',
  '</script><iframe src=javascript:alert(N)>',
  '\u202eN\u2066<b>',
  '&lt;script&gt;alert(N)&lt;/script&gt;',
  '<a href="javascript:alert(N)">x</a>',
  '`${alert(N)}`',
  '<style>*{display:none}</style>',
  '<base href="//evil.example/">',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '\u0000\u0001<N',
  '<object data="data:text/html,<script>alert(N)</script>">',
  '<svg/onload=alert(N)>',
];

/** Texts that do harm wherever they are not treated as text. */
export function hostileStrings(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => HOSTILE[index % HOSTILE.length]?.replaceAll('N', String(index)) ?? '',
  );
}
