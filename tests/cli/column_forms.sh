# SPDX-License-Identifier: Apache-2.0
# One column: logical types are not lost, and what a form cannot represent is refused.
cat > t.csv <<'END'
id,name,price,day,note
1,apple,1.50,2014-08-08,x
2,pear,-0.25,2014-08-09,
3,plum,,,"two
lines"
END
bobbin compress t.csv -q -o t.bob
bobbin decompress t.bob --column price -o -
bobbin decompress t.bob --column price --as raw -o - | show i64
bobbin decompress t.bob --column day -o - --rows -2:
bobbin decompress t.bob --column id -o - | show i64
bobbin decompress t.bob --column id --as lines -o -
bobbin decompress t.bob --column name -o -
bobbin decompress t.bob --column name --as strings -o - --rows :1 | od -An -c
status bobbin decompress t.bob --column note -o -
status bobbin decompress t.bob --column note --rows 2: -o -
bobbin decompress t.bob --column note -o note.json -q && cat note.json
status bobbin decompress t.bob --column name --as raw -o -
status bobbin decompress t.bob --column price --as strings -o -
status bobbin decompress t.bob --column nope -o nope.csv
status bobbin decompress t.bob --column name --as lines --csv -o -
ls
