package config_test
import ("testing";"fmt";"tracekit/replay/config";"os";"strings";"strconv")
func TestZZ(t *testing.T){
 b,_:=os.ReadFile("testdata/fuzz/FuzzLoad/"+os.Getenv("Q"))
 l:=strings.Split(string(b),"\n")[1]
 s,_:=strconv.Unquote(l[len("string("):len(l)-1])
 _,err:=config.Parse("f.yaml",[]byte(s),config.Options{})
 fmt.Println(err); fmt.Printf("%q\n", s)
}
