/** One document of a file, with the separator and the comments in front of it. */
export interface DocumentText {
  readonly text: string;
  /** 1-based line of its first character. */
  readonly line: number;
}

/** Cuts a file into documents; put together again they are the file. JSON values may be one a line. */
export function splitDocuments(file: string): DocumentText[] {
  const parts = /^\s*[{[]/.test(file) ? jsonValues(file) : file.split(/^(?=---(?:\s|$))/m);
  let line = 1;
  return parts.map((text) => {
    const document = { text, line };
    line += text.split('\n').length - 1;
    return document;
  });
}

function jsonValues(file: string): string[] {
  try {
    JSON.parse(file);
    return [file];
  } catch {
    const lines = file.split(/(?<=\n)/);
    return lines.every(isJson) ? lines : file.split(/^(?=---(?:\s|$))/m);
  }
}

function isJson(line: string): boolean {
  if (line.trim() === '') return true;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
