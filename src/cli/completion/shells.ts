import { completionRequest as request } from './request.ts';

/** For each shell, a script that has `kubectl-gc` completed; `kubectl` makes the file that kubectl looks for. */
export const shellScripts = {
  // Bash 3.2, which macOS has, knows neither mapfile nor compopt.
  bash: `# bash completion for kubectl-gc
__kubectl_gc_complete() {
  local rest=\${COMP_LINE:0:COMP_POINT} words=() word gap line directive=0 last
  # COMP_WORDBREAKS has split --output=json in three: pieces without a blank between them are one word.
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    gap=\${rest%%[![:space:]]*}
    rest=\${rest:\${#gap}}
    rest=\${rest:\${#word}}
    last=$((\${#words[@]} - 1))
    if [[ -z $gap && $last -ge 0 ]]; then words[$last]+=$word; else words+=("$word"); fi
  done
  last=$((\${#words[@]} - 1))
  local current=\${words[$last]} piece=\${COMP_WORDS[COMP_CWORD]} prefix=
  # Only the piece behind the last break is replaced; of --output=js the program answers the value alone.
  case $piece in =|:) piece= ;; esac
  prefix=\${current%"$piece"}
  case $current in -*=*) prefix=\${prefix#*=} ;; esac
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :[0-9]*) directive=\${line#:} ;;
      *) line=\${line%%$'\\t'*}; COMPREPLY+=("\${line#"$prefix"}") ;;
    esac
  done < <("\${words[0]}" ${request} "\${words[@]:1}" 2>/dev/null)
  if ((directive & 2)); then compopt -o nospace 2>/dev/null; fi
  if ((directive & 4)); then return; fi
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$piece")
  compopt -o filenames 2>/dev/null
}
complete -F __kubectl_gc_complete kubectl-gc
`,

  zsh: `#compdef kubectl-gc
# zsh completion for kubectl-gc
_kubectl_gc() {
  local -a lines candidates spacing
  local line directive value
  lines=("\${(@f)$("\${(Q)words[1]}" ${request} "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  directive=\${lines[-1]#:}
  lines=("\${(@)lines[1,-2]}")
  # Of --output=js the program answers the value alone.
  [[ $PREFIX == -*=* ]] && compset -P '*='
  for line in "\${lines[@]}"; do
    value=\${\${line%%$'\\t'*}//:/\\\\:}
    if [[ $line == *$'\\t'* ]]; then candidates+=("$value:\${line#*$'\\t'}"); else candidates+=("$value"); fi
  done
  ((directive & 2)) && spacing=(-S '')
  if ((\${#candidates})); then _describe -V 'kubectl gc' candidates "\${spacing[@]}"; fi
  ((directive & 4)) || _files
}
if [[ \${funcstack[1]} == _kubectl_gc ]]; then _kubectl_gc "$@"; else compdef _kubectl_gc kubectl-gc; fi
`,

  fish: `# fish completion for kubectl-gc
function __kubectl_gc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] ${request} $words[2..] "$current" 2>/dev/null)
    test (count $lines) -gt 0; or return
    set -l directive (string sub -s 2 -- $lines[-1])
    set -e lines[-1]
    # Of --output=js the program answers the value alone.
    set -l prefix (string match -r -- '^-[^=]*=' $current)
    for line in $lines
        printf '%s\\n' "$prefix$line"
    end
    if test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path (string replace -r -- '^-[^=]*=' '' $current)
    end
end
complete -c kubectl-gc -f -a '(__kubectl_gc_complete)'
`,

  powershell: `# PowerShell completion for kubectl-gc
Register-ArgumentCompleter -Native -CommandName 'kubectl-gc' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.Extent.Text })
    $program = $words[0]
    $before = @($words | Select-Object -Skip 1)
    # An empty word is lost on the way to a program unless it is quoted once more.
    $last = if ($wordToComplete -eq '' -and $PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { $wordToComplete }
    $prefix = if ($wordToComplete -match '^-[^=]*=') { $Matches[0] } else { '' }
    & $program ${request} @before $last 2>$null | Where-Object { $_ -notmatch '^:\\d+$' } | ForEach-Object {
        $value, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $value }
        [System.Management.Automation.CompletionResult]::new("$prefix$value", $value, 'ParameterValue', $description)
    }
}
`,

  kubectl: `#!/bin/sh
# kubectl runs this file, kubectl_complete-gc, for kubectl gc and the Tab key.
exec kubectl-gc ${request} "$@"
`,
} as const;
