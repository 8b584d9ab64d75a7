# SPDX-License-Identifier: Apache-2.0
# The command's documentation: help, the manual page and completions, generated from the same definitions.
bobbin -V
bobbin help cat | head -3
diff <(bobbin help query) <(bobbin query --help) && echo same
diff <(bobbin help) <(bobbin --help) && echo same
status bobbin help comprss
status bobbin completion fish
bobbin man > bobbin.1
# Every verb and every long option is in it.
bobbin completion bash > bobbin.bash
verbs=$(bobbin --help | sed -n '/^Verbs:/,/^Examples:/s/^  \([a-z]*\) .*/\1/p')
for verb in $verbs; do
  grep -q "^\.SS $verb\$" bobbin.1 || echo "no section: $verb"
  for option in $(bobbin help "$verb" | grep -o -- '^ .*--[a-z-]*' | grep -o -- '--[a-z-]*'); do
    grep -q -- "$(echo "$option" | sed 's/-/\\\\-/g')" bobbin.1 || echo "not in the manual: $verb $option"
    grep -q -- "$option" bobbin.bash || echo "not completed: $verb $option"
  done
done
if command -v groff > /dev/null; then groff -man -ww -Tutf8 bobbin.1 > /dev/null; fi
bash -n bobbin.bash
bobbin completion zsh > _bobbin
if command -v zsh > /dev/null; then zsh -n _bobbin; fi
# Completing.
complete_words() {
  source bobbin.bash
  COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _bobbin; echo "${COMPREPLY[@]}"
}
complete_words bobbin comp
complete_words bobbin compress --th
complete_words bobbin compress --backend ''
complete_words bobbin cat t.bob --format j
complete_words bobbin help devi
complete_words bobbin completion ''
complete_words bobbin cat x.b
complete_words bobbin sim r
complete_words bobbin sim run x --des
complete_words bobbin sim run --design hw
# Verbs of a verb have sections, and their options are in both.
for verb in list run sweep paper report; do
  grep -q "^\.SS sim $verb\$" bobbin.1 || echo "no section: sim $verb"
  for option in $(bobbin sim $verb --help | grep -o -- '^ .*--[a-z-]*' | grep -o -- '--[a-z-]*'); do
    grep -q -- "$(echo "$option" | sed 's/-/\\\\-/g')" bobbin.1 || echo "not in the manual: sim $verb $option"
    grep -q -- "$option" bobbin.bash || echo "not completed: sim $verb $option"
  done
done
