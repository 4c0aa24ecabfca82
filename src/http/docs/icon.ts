/** A bridge, the mark of the pages. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e63"/><path d="M4 22h24M7 22v-3a9 9 0 0 1 18 0v3M12 22v-9.500M20 22v-9.500" fill="none" stroke="#fff" stroke-width="2.500" stroke-linecap="round"/></svg>
`;
